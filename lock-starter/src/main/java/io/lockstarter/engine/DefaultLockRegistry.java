// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockListener;
import io.lockstarter.LockMode;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.text.PrintableText;
import io.lockstarter.platform.Platform;
import io.lockstarter.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The registry of locks over a {@link LockStore}: one instance among those that share the
 * store. Running once it is constructed; it may be stopped and started again.
 * <p>
 * The registry has daemon threads of its own, usually three, from its first use up to
 * {@link #stop()}. It does not close the store.
 *
 * @since 0.1
 */
public final class DefaultLockRegistry extends HolderLockRegistry implements LockInspector {

	private static final Log logger = LogFactory.getLog(DefaultLockRegistry.class);

	private static final int COPY_DIGITS = 12;

	private static final int FREQUENT_EVENTS = 10_000;

	private final String baseId;

	private final LockStore store;

	private final RegistrySettings settings;

	private final List<LockListener> listeners;

	private final List<LockMonitor> monitors;

	private final Executor frequent;

	private final Platform platform;

	private final Map<HoldCounts.NamedHold, HoldCounts.Entry> namedHolds = new ConcurrentHashMap<>();

	private final OwnerIdSequence ownerIds;

	private volatile String instanceId;

	private volatile @Nullable Running running;

	/**
	 * Create a registry that accepts acquirers. The store connects with its first command
	 * or, ahead of it, at {@link #start()}.
	 * @param instanceId identifies this instance among all that ever share the store; not
	 * empty, without colon, exclamation mark and white space. If the registry is stopped
	 * and started again, a random part is added
	 * @param store where the locks live
	 * @param settings the settings
	 * @param listeners whom to tell of losses and unconfirmed releases
	 */
	public DefaultLockRegistry(String instanceId, LockStore store, RegistrySettings settings,
			Collection<? extends LockListener> listeners) {
		this(instanceId, store, settings, listeners, List.of());
	}

	/**
	 * Create a registry like
	 * {@link #DefaultLockRegistry(String, LockStore, RegistrySettings, Collection)}, with
	 * monitors.
	 * @param instanceId identifies this instance among all that ever share the store
	 * @param store where the locks live
	 * @param settings the settings
	 * @param listeners whom to tell of losses and unconfirmed releases
	 * @param monitors whom to tell of everything, synchronously
	 */
	public DefaultLockRegistry(String instanceId, LockStore store, RegistrySettings settings,
			Collection<? extends LockListener> listeners, Collection<? extends LockMonitor> monitors) {
		this(instanceId, store, settings, listeners, monitors, Platform.system());
		// Copies of a machine may have the same instance id without having been started.
		this.ownerIds.leap();
	}

	DefaultLockRegistry(String instanceId, LockStore store, RegistrySettings settings,
			Collection<? extends LockListener> listeners, Collection<? extends LockMonitor> monitors,
			Platform platform) {
		super(HoldCounts.ofCurrentThread());
		if (!instanceId.matches("[^:!&\\s]+") || !PrintableText.isPrintable(instanceId)) {
			throw new IllegalArgumentException(
					"The instance id must not be empty nor contain ':', '!', '&', white space or control characters, but is '%s'"
						.formatted(PrintableText.of(instanceId)));
		}
		this.baseId = instanceId;
		this.store = store;
		this.settings = settings;
		this.listeners = List.copyOf(listeners);
		this.monitors = List.copyOf(monitors);
		this.frequent = platform.queue("lock-starter-listeners", FREQUENT_EVENTS);
		this.platform = platform;
		this.ownerIds = new OwnerIdSequence(platform);
		this.instanceId = instanceId;
		this.running = begin(instanceId);
	}

	@Override
	public LockRegistry withHolder(Object holder) {
		if (holder == null) {
			throw new IllegalArgumentException("holder must not be null: give what identifies it, such as an id");
		}
		return new OfOneHolder(this, HoldCounts.of(this.namedHolds, holder));
	}

	/**
	 * Open the store ahead of the first command, and accept acquirers again after
	 * {@link #stop()}.
	 */
	public synchronized void start() {
		Running running = this.running;
		if (running == null) {
			// Another id each time: this may be one of several copies of a process,
			// made while it was stopped.
			String copy = HexFormat.of().toHexDigits(this.platform.secureRandom().nextLong(), COPY_DIGITS);
			this.instanceId = this.baseId + "-" + copy;
			running = begin(this.instanceId);
			this.running = running;
		}
		running.engine().open();
	}

	@Override
	Terms terms(LockOptions options) {
		if (options.mode() == LockMode.SHARED && !this.store.isShareable()) {
			throw new IllegalArgumentException(
					"mode is SHARED, but the lock store has exclusive locks only, as one with a migration of old locks");
		}
		return Terms.of(options, this.settings, this.store.maxTtl());
	}

	private Running begin(String instance) {
		return new Running(new LockEngine(instance, this.ownerIds, this.store, this.settings, Timing.of(this.platform),
				this.listeners, this.monitors, this.frequent));
	}

	/**
	 * Refuse new acquirers and those that wait, and give holders the grace time to
	 * finish. What is still held then is renewed no more, is left to its ttl, and is told
	 * to the listeners; its holder may still release it.
	 * <p>
	 * Who cannot finish before this does is not waited for: what the calling thread
	 * locked, and the leases that it {@linkplain LockScope runs under} and that are not
	 * the locks of another thread, are released now, and so are the locks of a thread
	 * that sits in {@link System#exit}.
	 */
	public synchronized void stop() {
		Running last = this.running;
		if (last == null) {
			return;
		}
		LockEngine stopping = last.engine();
		Services services = stopping.services();
		this.running = null;
		Failures failures = new Failures();
		failures.run(stopping::close);
		failures.run(() -> releaseWhatWaitsForThis(stopping.leases()));
		boolean drained = awaitHolders(stopping);
		for (Lease lease : stopping.leases()) {
			failures.run(() -> services.news().tell((listener) -> listener.abandoned(lease)));
		}
		failures.run(() -> this.store.ignore(services.instance()));
		failures.run(services.news()::flush);
		services.timing().end(!drained);
		failures.throwFirst();
	}

	private static void releaseWhatWaitsForThis(List<DefaultLease> leases) {
		Map<Thread, Boolean> exiting = new HashMap<>();
		for (DefaultLease lease : leases) {
			Thread holder = lease.thread();
			boolean own = holder == null || holder == Thread.currentThread();
			boolean waits = (holder != null && lease.isBound())
					? own || exiting.computeIfAbsent(holder, HolderThread::exits) : own && LockScope.covers(lease);
			if (waits) {
				logger.info("Lock '%s' (fencing token %d) is released at shutdown, as its holder waits for that: %s"
					.formatted(lease.key(), lease.fencingToken(), "what it still does has no lock"));
				var unused = lease.closeAsync();
			}
		}
	}

	/**
	 * Return the id of this instance, which each start after a stop makes anew.
	 * @return the instance id
	 */
	@Override
	public String instanceId() {
		return this.instanceId;
	}

	@Override
	public List<HeldLock> held() {
		Running running = this.running;
		return (running != null) ? running.inspection().held() : List.of();
	}

	@Override
	public List<WaitingCaller> waiting() {
		Running running = this.running;
		return (running != null) ? running.inspection().waiting() : List.of();
	}

	@Override
	public CompletableFuture<StoredLockDetails> inspect(String key) {
		return opened().inspection().inspect(Keys.check(key));
	}

	@Override
	public CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return opened().inspection().scan(prefix, cursor, limit);
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(String key, @Nullable String ownerId) {
		return opened().inspection().forceRelease(Keys.check(key), ownerId);
	}

	@Override
	public CompletableFuture<StoreStatus> checkStore() {
		Running running = this.running;
		if (running == null) {
			return CompletableFuture.completedFuture(Inspection.stopped(this.settings));
		}
		running.engine().open();
		return running.inspection().checkStore();
	}

	/**
	 * Return whether listeners of a type are told of each lock that is acquired, stays
	 * busy or is released.
	 * @param type the type of a listener
	 * @return whether it implements one of the frequent methods
	 */
	public static boolean tellsAllTo(Class<?> type) {
		return News.isInterested(type);
	}

	/**
	 * Return how many leases this instance holds at present.
	 * @return the number of leases
	 */
	public int leaseCount() {
		Running running = this.running;
		return (running != null) ? running.engine().leases().size() : 0;
	}

	/**
	 * Return how many acquirers in this instance have no answer yet.
	 * @return the number of acquirers
	 */
	public int waiterCount() {
		Running running = this.running;
		return (running != null) ? running.engine().waiterCount() : 0;
	}

	/**
	 * Return how many connections to the store are open at present.
	 * @return the number of connections
	 */
	public int connectionCount() {
		return this.store.connectionCount();
	}

	/**
	 * Return whether acquirers are accepted.
	 * @return whether the registry is running
	 */
	public boolean isRunning() {
		return this.running != null;
	}

	int namedHoldCount() {
		return this.namedHolds.size();
	}

	private boolean awaitHolders(LockEngine stopping) {
		try {
			long grace = this.settings.shutdownGrace().toNanos();
			long start = this.platform.nanoTime();
			if (this.platform.await(stopping.drained(), grace)) {
				CompletableFuture<?> quiet = stopping.services().store().quiet();
				if (this.platform.await(quiet, grace - (this.platform.nanoTime() - start))
						&& !quiet.isCompletedExceptionally()) {
					return true;
				}
				logger.debug("The last releases were not confirmed before shutdown");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			logger.warn("Interrupted while waiting for the holders of locks to finish");
		}
		catch (Error ex) {
			logger.error("The holders of locks are not waited for", ex);
		}
		return false;
	}

	@Override
	AcquireOperations operations() {
		return opened().operations();
	}

	private Running opened() {
		Running running = this.running;
		if (running == null) {
			throw LockEngine.shutDown();
		}
		running.engine().open();
		return running;
	}

	/**
	 * The registry of a holder that is not bound to a thread.
	 */
	private static final class OfOneHolder extends HolderLockRegistry {

		private final DefaultLockRegistry registry;

		OfOneHolder(DefaultLockRegistry registry, HoldCounts holds) {
			super(holds);
			this.registry = registry;
		}

		@Override
		AcquireOperations operations() {
			return this.registry.operations();
		}

		@Override
		Terms terms(LockOptions options) {
			return this.registry.terms(options);
		}

		@Override
		public CompletableFuture<StoredLockDetails> inspect(String key) {
			return this.registry.inspect(key);
		}

		@Override
		public LockRegistry withHolder(Object holder) {
			return this.registry.withHolder(holder);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof OfOneHolder one && this.registry == one.registry && holds().equals(one.holds());
		}

		@Override
		public int hashCode() {
			return holds().hashCode();
		}

	}

	/**
	 * An engine, from a start to the next stop, and what is done with it.
	 */
	record Running(LockEngine engine, AcquireOperations operations, Inspection inspection) {

		Running(LockEngine engine) {
			this(engine, new AcquireOperations(engine, new LimitCheck(engine.services())), new Inspection(engine));
			if (!engine.services().settings().warnAfter().isZero()) {
				engine.onBegin(new OverlongLog(engine));
			}
		}

	}

}
