// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.LockMonitor;
import io.lockstarter.store.LockStore;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells a test which locks were acquired, and does to the application under test what
 * otherwise needs a second instance, a lost lease or a broken Redis.
 * <p>
 * {@link AutoConfigureDistributedLock} makes one a bean of the test's context, and resets
 * it before and after each test method. A test without Spring {@link #create creates}
 * one, and closes it. It works with whatever {@link LockStore}, Redis included.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class LockTester implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockTester.class);

	private static final LockOptions HOLD = LockOptions.defaults().withWaitTime(Duration.ofSeconds(10));

	private final Supplier<LockRegistry> registry;

	private final Supplier<@Nullable LockStore> store;

	private final Recorder recorder = new Recorder();

	private final Set<UnreliableLockStore> stores = ConcurrentHashMap.newKeySet();

	private final Set<Lease> holds = ConcurrentHashMap.newKeySet();

	private final @Nullable DefaultLockRegistry created;

	private @Nullable DefaultLockRegistry otherInstance;

	/**
	 * Create a tester.
	 * @param registry the registry under test
	 * @param store its store, which was {@link #wrap wrapped}
	 */
	LockTester(Supplier<LockRegistry> registry, Supplier<@Nullable LockStore> store) {
		this.registry = registry;
		this.store = store;
		this.created = null;
	}

	private LockTester(RegistrySettings settings) {
		LockStore unreliable = wrap(new MemoryLockStore());
		DefaultLockRegistry underTest = new DefaultLockRegistry("under-test", unreliable, settings, List.of(),
				List.of(this.recorder));
		this.created = underTest;
		this.registry = () -> underTest;
		this.store = () -> unreliable;
	}

	/**
	 * Create a tester with a registry of its own, whose locks are in memory.
	 * @return the tester, to be closed when the test is over
	 */
	public static LockTester create() {
		return create(RegistrySettings.defaults());
	}

	/**
	 * Create a tester with a registry of its own, whose locks are in memory.
	 * @param settings the settings of the registry
	 * @return the tester, to be closed when the test is over
	 */
	public static LockTester create(RegistrySettings settings) {
		return new LockTester(settings);
	}

	/**
	 * Return the registry under test.
	 * @return the registry
	 */
	public LockRegistry registry() {
		return this.registry.get();
	}

	/**
	 * Return the registry of another instance of the application, which shares the store.
	 * What it acquires is not {@link #acquired recorded}, and {@link #makeUnavailable}
	 * does not concern it.
	 * @return the other registry, always the same
	 */
	public LockRegistry otherInstance() {
		return other();
	}

	/**
	 * Hold a lock as another instance would: the application finds it busy. Waits for up
	 * to ten seconds if the lock is held.
	 * @param key the key
	 * @return the lease of the other instance; closing it, like {@link #reset}, releases
	 * the lock
	 * @throws io.lockstarter.LockNotAcquiredException if the lock stays held
	 */
	public Lease hold(String key) {
		try {
			Lease lease = other().acquire(key, HOLD);
			this.holds.add(lease);
			return lease;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(key, ex);
		}
	}

	/**
	 * Let the application lose a lock that it holds, as if it had expired: when this
	 * method returns, the lease is not valid any more, and the lock is free. Listeners
	 * are told on their own thread, which may be a moment later.
	 * @param key the key
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public void lose(String key) {
		takeOver(key).close();
	}

	/**
	 * Let the application lose a lock that it holds to another instance, as if it had
	 * expired and the other one had acquired it: when this method returns, the lease of
	 * the application is not valid any more. Listeners are told on their own thread,
	 * which may be a moment later.
	 * @param key the key
	 * @return the lease of the other instance; closing it, like {@link #reset}, releases
	 * the lock
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public Lease takeOver(String key) {
		UnreliableLockStore unreliable = store();
		if (unreliable.isUnavailable()) {
			throw new IllegalStateException(
					"Lock '%s' cannot be taken while the store is unavailable: end that first".formatted(key));
		}
		Lease lost = this.recorder.holder(key);
		if (lost == null) {
			List<String> held = this.recorder.heldKeys();
			throw new IllegalStateException(
					"Lock '%s' cannot be lost: the application holds %s. Lose it in a stub that the locked method calls"
						.formatted(key, held.isEmpty() ? "no lock" : "only " + held));
		}
		DefaultLockRegistry other = other();
		var unused = unreliable.delegate.release(new LockStore.Release(key, other.instanceId(), lost.ownerId(), false))
			.orTimeout(10, TimeUnit.SECONDS)
			.join();
		Lease taken = hold(key);
		if (lost.extend(lost.ttl())) {
			throw new IllegalStateException("Lock '%s' could not be taken from %s".formatted(key, lost));
		}
		return taken;
	}

	/**
	 * Make the store unavailable: each command of the application fails at once with
	 * {@link io.lockstarter.LockStoreException}. A caller does not wait for its wait time
	 * then, as it does while a real Redis cannot be reached. Locks are not renewed either
	 * and are lost at the end of their ttl.
	 * @return ends it; {@link #reset} does so, too
	 */
	public Outage makeUnavailable() {
		store();
		this.stores.forEach(UnreliableLockStore::makeUnavailable);
		return this::makeAvailable;
	}

	private void makeAvailable() {
		this.stores.forEach(UnreliableLockStore::makeAvailable);
	}

	/**
	 * Return whether a lock is held, by the application or by another instance.
	 * @param key the key
	 * @return whether there is a holder
	 */
	public boolean isHeld(String key) {
		return other().inspect(key).join().lock().isHeld();
	}

	/**
	 * Return who waits for a lock in the application now, for example to go on with a
	 * test when a caller has begun to wait.
	 * @return the callers, in the order of their keys, and for each key in the order in
	 * which they get it
	 */
	public List<WaitingCaller> waiting() {
		if (registry() instanceof LockInspector inspector) {
			return inspector.waiting();
		}
		throw new IllegalStateException("The registry " + registry().getClass().getName() + " does not tell who waits");
	}

	/**
	 * Return the leases of a key that the application acquired since the last
	 * {@link #reset}, also if they are released or lost by now.
	 * @param key the key
	 * @return the leases, in the order of their acquisition
	 */
	public List<Lease> acquired(String key) {
		return acquired().stream().filter((lease) -> lease.key().equals(key)).toList();
	}

	/**
	 * Return all leases that the application acquired since the last {@link #reset}, also
	 * if they are released or lost by now.
	 * @return the leases, in the order of their acquisition
	 */
	public List<Lease> acquired() {
		return this.recorder.acquired();
	}

	/**
	 * Release what the other instance {@link #hold holds} or {@link #takeOver took}, make
	 * the store available, free what the application has released but keeps for a minimum
	 * hold, and forget what was acquired. What the application still holds is freed by
	 * the first reset after its release.
	 */
	public void reset() {
		endHolds();
		List<Lease> released = this.recorder.forget();
		if (!released.isEmpty() && registry() instanceof LockInspector inspector) {
			free(inspector, released);
		}
	}

	private void endHolds() {
		makeAvailable();
		this.holds.forEach(Lease::close);
		this.holds.clear();
	}

	private static void free(LockInspector inspector, List<Lease> released) {
		Set<String> ownerIds = released.stream().map(Lease::ownerId).collect(Collectors.toSet());
		try {
			for (String key : released.stream().map(Lease::key).collect(Collectors.toSet())) {
				for (String holder : inspector.inspect(key).join().lock().ownerIds()) {
					if (ownerIds.contains(holder)) {
						var unused = inspector.forceRelease(key, holder).join();
					}
				}
			}
		}
		catch (CompletionException | IllegalStateException ex) {
			logger.debug("Locks of a test stay, as the store failed or the registry is shut down", ex);
		}
	}

	/**
	 * End the threads of the other instance and, if the tester was {@link #create
	 * created} without Spring, shut its registry down. The context of a test does this
	 * when it is closed.
	 */
	@Override
	public void close() {
		endHolds();
		DefaultLockRegistry other;
		synchronized (this) {
			other = this.otherInstance;
			this.otherInstance = null;
		}
		try {
			if (other != null) {
				other.stop();
			}
		}
		finally {
			if (this.created != null) {
				this.created.stop();
			}
		}
	}

	LockMonitor recorder() {
		return this.recorder;
	}

	LockStore wrap(LockStore wrapped) {
		UnreliableLockStore unreliable = new UnreliableLockStore(wrapped);
		this.stores.add(unreliable);
		return unreliable;
	}

	private UnreliableLockStore store() {
		if (this.store.get() instanceof UnreliableLockStore unreliable) {
			return unreliable;
		}
		throw new IllegalStateException("LockTester has no LockStore bean: locks are disabled "
				+ "('distributed-lock.enabled=false'), or the application has a LockRegistry bean of its own");
	}

	private synchronized DefaultLockRegistry other() {
		DefaultLockRegistry other = this.otherInstance;
		if (other == null) {
			other = new DefaultLockRegistry("lock-tester-" + UUID.randomUUID(), new SharedLockStore(store().delegate),
					RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());
			this.otherInstance = other;
		}
		return other;
	}

	/**
	 * A time in which the store is unavailable.
	 */
	@FunctionalInterface
	public interface Outage extends AutoCloseable {

		/**
		 * End it. Locks whose release failed meanwhile are released now.
		 */
		@Override
		void close();

	}

	/**
	 * The store of another instance, whose connections belong to the one under test.
	 */
	private static final class SharedLockStore extends DelegatingLockStore {

		SharedLockStore(LockStore delegate) {
			super(delegate);
		}

		@Override
		public CompletableFuture<?> open(ConnectionListener listener) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void close() {
		}

	}

	/**
	 * Records leases. Called with their key locked, so it only takes notes.
	 */
	private static final class Recorder implements LockMonitor {

		private final List<Lease> acquired = new ArrayList<>();

		// When they were forgotten, as by a transaction of the test, which ends later.
		private List<Lease> stillHeld = List.of();

		private final Map<String, Lease> holders = new ConcurrentHashMap<>();

		@Override
		public synchronized void acquired(Lease lease, long waited, boolean handedOn) {
			this.acquired.add(lease);
			this.holders.put(lease.key(), lease);
		}

		@Override
		public void released(Lease lease, long held) {
			this.holders.remove(lease.key(), lease);
		}

		@Override
		public void lost(Lease lease, LossCause cause) {
			this.holders.remove(lease.key(), lease);
		}

		@Nullable Lease holder(String key) {
			return this.holders.get(key);
		}

		List<String> heldKeys() {
			return this.holders.keySet().stream().sorted().toList();
		}

		synchronized List<Lease> acquired() {
			return List.copyOf(this.acquired);
		}

		/**
		 * Forget all leases.
		 * @return those that have ended, and have not been returned yet
		 */
		synchronized List<Lease> forget() {
			Map<Boolean, List<Lease>> byEnd = Stream.of(this.stillHeld, this.acquired)
				.flatMap(List::stream)
				.collect(Collectors.partitioningBy((lease) -> this.holders.get(lease.key()) != lease));
			this.acquired.clear();
			this.stillHeld = byEnd.getOrDefault(false, List.of());
			return byEnd.getOrDefault(true, List.of());
		}

	}

}
