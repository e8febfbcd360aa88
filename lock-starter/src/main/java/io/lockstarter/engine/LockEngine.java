// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

import io.lockstarter.LockListener;
import io.lockstarter.LockMonitor;
import io.lockstarter.platform.Ticker;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquired;
import org.jspecify.annotations.Nullable;

/**
 * All local queues of one instance and what they share: the store, the timers, the
 * signals. One is made for each time the registry is started.
 */
final class LockEngine implements QueueHost, LockStore.Signals, LockStore.ConnectionListener {

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

	private final AtomicBoolean openRequested = new AtomicBoolean();

	private final AtomicBoolean listenRequested = new AtomicBoolean();

	// the results of those who want several keys, who may be in no queue at times; by
	// the order in which they came
	private final Map<Long, CompletableFuture<?>> combined = new ConcurrentSkipListMap<>();

	private final AtomicLong lastCombined = new AtomicLong();

	// the largest token of a grant, for each part of the store
	private final AtomicLongArray lastGrants;

	private final AtomicBoolean reconnecting = new AtomicBoolean();

	private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();

	private final Services services;

	private final Timing timing;

	private final StoreClient store;

	private final Sweeper deadlines;

	private final Watchdog watchdog;

	// since when signals are received
	private volatile long listeningSince = Ticker.NEVER;

	private volatile boolean closing;

	private volatile @Nullable LongConsumer began;

	LockEngine(String instance, OwnerIdSequence ownerIds, LockStore store, RegistrySettings settings, Timing timing,
			List<LockListener> listeners, List<LockMonitor> monitors, Executor frequent) {
		this.timing = timing;
		this.store = new StoreClient(store, instance, timing, settings.commandTimeout());
		this.lastGrants = new AtomicLongArray(store.partitions());
		News news = new News(listeners, monitors, frequent, timing);
		this.services = new Services(instance, ownerIds, settings, timing, this.store, news,
				new WaitLimit(this.store, settings.commandTimeout().toNanos()),
				new StoreQueues(this.store, timing, this.queues.keySet()), new ForcedOwners(), store.grantTerm(), this);
		this.deadlines = new Sweeper(timing.deadlines(), this::checkDeadlines, SWEEP_PAUSE);
		this.watchdog = new Watchdog(this.queues.values(), this.store, timing);
	}

	Services services() {
		return this.services;
	}

	/**
	 * Tell when each wait and each hold began, from now on. Called under the mutex of its
	 * queue, where it can be seen.
	 */
	void onBegin(LongConsumer began) {
		this.began = began;
	}

	Collection<LocalQueue> queues() {
		return this.queues.values();
	}

	/**
	 * Start the threads, and let the store get ready, without waiting for it.
	 */
	void open() {
		if (!this.openRequested.get()) {
			this.timing.start();
			if (this.openRequested.compareAndSet(false, true)) {
				this.store.open(this);
			}
		}
	}

	/**
	 * Put an acquirer into the queue of its key.
	 * @throws IllegalStateException if the registry is shut down
	 */
	LocalQueue join(String key, Waiter waiter) {
		LocalQueue queue = queue(key);
		while (!queue.join(waiter)) {
			Thread.onSpinWait();
			queue = queue(key);
		}
		return queue;
	}

	/**
	 * Claim a key for an acquirer that tries several at once.
	 * @return the claim; {@code null} if the key is busy, or nobody knows, as the waiter
	 * was told
	 * @throws IllegalStateException if the registry is shut down
	 */
	@Nullable Claim claim(String key, Waiter waiter) {
		while (!waiter.isDecided()) {
			LocalQueue queue = queue(key);
			AcquireAttempt attempt = queue.claim(waiter);
			if (attempt != null) {
				try {
					return new Claim(queue, waiter, attempt);
				}
				catch (Error ex) {
					queue.cancel(attempt, waiter);
					throw ex;
				}
			}
			Thread.onSpinWait();
		}
		return null;
	}

	/**
	 * Return the queue of a key. It is there before this looks whether the engine closes:
	 * {@link #close()} either is seen here, or finds the queue and closes it, too. So a
	 * queue that lets nobody in as it is closed is not returned again.
	 */
	private LocalQueue queue(String key) {
		LocalQueue queue = this.queues.computeIfAbsent(key, (absent) -> new LocalQueue(absent, this.services));
		if (this.closing) {
			queue.close(shutDown());
			throw shutDown();
		}
		return queue;
	}

	/**
	 * Refuse an acquirer of several keys at shutdown, wherever it is by then: between two
	 * attempts it waits in no queue. Called before it looks for its first key.
	 */
	void refuseAtShutdown(CompletableFuture<?> result) {
		long number = this.lastCombined.incrementAndGet();
		this.combined.put(number, result);
		try {
			Completions.on(result, (leases, failure) -> this.combined.remove(number));
		}
		catch (RuntimeException | Error ex) {
			this.combined.remove(number);
			throw ex;
		}
	}

	void close() {
		this.closing = true;
		Failures failures = new Failures();
		failures.collect(this.queues.values(), (queue) -> queue.close(shutDown()));
		failures.collect(this.combined.values(), (result) -> result.completeExceptionally(shutDown()));
		completeWhenDrained();
		failures.throwFirst();
	}

	/**
	 * Return what completes when the last lease is released after {@link #close()}.
	 */
	CompletableFuture<?> drained() {
		return this.drained;
	}

	List<DefaultLease> leases() {
		return this.queues.values().stream().flatMap((queue) -> queue.leases().stream()).toList();
	}

	int waiterCount() {
		return this.queues.values().stream().mapToInt(LocalQueue::waiterCount).sum();
	}

	@Override
	public void retired(Lessor queue) {
		this.queues.remove(queue.key(), queue);
		if (this.closing) {
			completeWhenDrained();
		}
	}

	@Override
	public void leased(DefaultLease lease) {
		this.deadlines.noLaterThan(lease.ownership().deadline());
		this.watchdog.renewInTime(lease);
		began(lease.since());
	}

	@Override
	public boolean listensSince(long instant) {
		return instant >= this.listeningSince && !this.closing;
	}

	@Override
	public void waiting(Waiter waiter) {
		began(waiter.since());
	}

	private void began(long since) {
		LongConsumer began = this.began;
		if (began != null) {
			began.accept(since);
		}
	}

	@Override
	public void confirm(String key, Ownership ownership) {
		LocalQueue queue = this.queues.get(key);
		if (queue != null) {
			this.watchdog.confirm(queue, ownership);
		}
	}

	@Override
	public CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl) {
		return this.watchdog.extend(lease, ttl);
	}

	@Override
	public void listen() {
		if (!this.closing && !this.listenRequested.get() && this.listenRequested.compareAndSet(false, true)) {
			this.store.listen(this);
		}
	}

	@Override
	public boolean isListening() {
		return this.listeningSince != Ticker.NEVER;
	}

	/**
	 * Return whether signals are received; {@code null} if none were needed so far.
	 */
	@Nullable Boolean listeningState() {
		return this.listenRequested.get() ? isListening() : null;
	}

	@Override
	public void reserved(String key) {
		LocalQueue queue = this.queues.get(key);
		if (queue == null || !queue.reserved()) {
			passOn(key);
		}
	}

	/**
	 * Use a key that was granted by a release, or release it. A signal may come twice;
	 * then its token, and so perhaps its owner id, is known.
	 */
	@Override
	public void granted(String key, String ownerId, Acquired tokens) {
		boolean toldBefore = isKnown(key, tokens.firstToken());
		LocalQueue queue = this.queues.get(key);
		if (queue == null || !queue.granted(ownerId, tokens, toldBefore)) {
			this.store.orphans().release(key, ownerId, this.services.grantTerm(), false);
		}
	}

	@Override
	public void usesGrant(String key, long token) {
		var unused = isKnown(key, token);
	}

	/**
	 * Note a grant, and return whether it, or a later one, was known before.
	 */
	private boolean isKnown(String key, long token) {
		return this.lastGrants.getAndAccumulate(this.store.partition(key), token, Math::max) >= token;
	}

	/**
	 * Leave the queue of a key that is reserved in vain. Who came meanwhile may have lost
	 * its place in the queue with this.
	 */
	private void passOn(String key) {
		Completions.on(this.services.storeQueues().leave(key), (left, failure) -> {
			LocalQueue newcomer = this.queues.get(key);
			if (newcomer != null) {
				newcomer.wakeUp();
			}
		});
	}

	/**
	 * Renew all leases and ask again for all keys that somebody here waits for: commands
	 * go over another connection, perhaps to another server. Leases are renewed even
	 * after shutdown. Called on a thread of the store, done on the one of the watchdog. A
	 * copy of a running process comes here, too, as it has to connect anew.
	 */
	@Override
	public void reconnected() {
		this.services.ownerIds().leap();
		if (this.reconnecting.compareAndSet(false, true)) {
			try {
				this.timing.watchdog().schedule(this::afterReconnect, 0);
			}
			catch (RuntimeException | Error ex) {
				this.reconnecting.set(false);
				throw ex;
			}
		}
	}

	@Override
	public void reordered(int partition, Duration ago) {
		this.watchdog.reordered(partition, ago);
	}

	private void afterReconnect() {
		this.reconnecting.set(false);
		this.watchdog.renewAll();
		if (!this.closing) {
			Failures.forEach(this.queues.values(), LocalQueue::wakeUp);
		}
	}

	@Override
	public void forced(String key, String ownerId) {
		if (!ownerId.startsWith(this.services.instance() + ":")) {
			return;
		}
		this.services.forcedOwners().add(ownerId);
		LocalQueue queue = this.queues.get(key);
		if (queue != null) {
			queue.forced(ownerId);
		}
	}

	@Override
	public void contended(String key) {
		LocalQueue queue = this.queues.get(key);
		if (queue != null) {
			queue.contended();
		}
	}

	@Override
	public void listening(boolean active) {
		this.listeningSince = active ? Math.min(this.listeningSince, this.timing.now()) : Ticker.NEVER;
		Failures.forEach(this.queues.values(), active ? LocalQueue::wakeUp : LocalQueue::signalsLost);
	}

	private long checkDeadlines(long now) {
		long next = Ticker.NEVER;
		for (LocalQueue queue : this.queues.values()) {
			next = Math.min(next, queue.checkDeadline());
		}
		return next;
	}

	/**
	 * The size of the map comes first, as it costs little with many keys. It may be 0 too
	 * early: a queue that another thread removes at once counts as removed before it
	 * counts as added.
	 */
	private void completeWhenDrained() {
		if (this.queues.isEmpty() && !this.queues.values().iterator().hasNext()) {
			this.drained.complete(null);
		}
	}

	static IllegalStateException shutDown() {
		return new IllegalStateException("The lock registry is shut down: it grants no more locks");
	}

}
