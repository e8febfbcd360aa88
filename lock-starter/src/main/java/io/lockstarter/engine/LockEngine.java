/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.lockstarter.LockListener;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * All local queues of one instance and what they share: the store, the timers, the
 * signals. One is made for each time the registry is started.
 */
final class LockEngine implements LockStore.Signals, LockStore.ConnectionListener {

	private static final long CLOCK_TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

	private static final int CLOCK_TOLD_KEYS = 10;

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * A store forgets who stands in a queue after that.
	 */
	private static final long QUEUE_EXPIRY = TimeUnit.MINUTES.toNanos(10);

	private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

	private final AtomicBoolean openRequested = new AtomicBoolean();

	private final AtomicBoolean listenRequested = new AtomicBoolean();

	private final AtomicLong clockToldAgainAt = new AtomicLong();

	private final Set<String> clockTold = ConcurrentHashMap.newKeySet();

	// keys whose queue at the store is being left
	private final Set<String> leaving = ConcurrentHashMap.newKeySet();

	// the results of those who want several keys, who may be in no queue at times; by
	// the order in which they came
	private final Map<Long, Runnable> combined = new ConcurrentSkipListMap<>();

	private final AtomicLong lastCombined = new AtomicLong();

	private final AtomicBoolean reconnecting = new AtomicBoolean();

	// the last owner ids that lost their key by force
	private final ForcedOwners forcedOwners = new ForcedOwners();

	private volatile long inDoubtUntil;

	private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();

	private final OwnerIdSequence ownerIds;

	private final RegistrySettings settings;

	private final Timing timing;

	private final StoreClient store;

	private final Events events;

	private final Monitoring monitoring;

	private final Sweeper deadlines;

	private final Watchdog watchdog;

	private final @Nullable OverlongLog overlong;

	private final WaitLimit waitLimit;

	private final AcquireOperations operations;

	private final Inspection inspection;

	private volatile boolean listening;

	private volatile boolean closing;

	LockEngine(String instance, OwnerIdSequence ownerIds, LockStore store, RegistrySettings settings, Timing timing,
			List<LockListener> listeners, List<LockMonitor> monitors) {
		this.ownerIds = ownerIds;
		this.settings = settings;
		this.timing = timing;
		this.store = new StoreClient(store, instance, timing, settings.commandTimeout());
		this.events = new Events(listeners, timing);
		this.monitoring = new Monitoring(monitors, timing.platform());
		this.deadlines = new Sweeper(timing.deadlines(), this::checkDeadlines, SWEEP_PAUSE);
		this.watchdog = new Watchdog(this.queues.values(), this.store, timing);
		this.overlong = settings.warnAfter().isZero() ? null : new OverlongLog(this, this.queues.values());
		this.waitLimit = new WaitLimit(this.store, settings.commandTimeout().toNanos());
		this.operations = new AcquireOperations(this);
		this.inspection = new Inspection(this, this.queues.values());
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
		while (true) {
			LocalQueue queue = queue(key);
			if (!queue.join(waiter)) {
				Thread.onSpinWait();
			}
			else if (this.closing && waiter.giveUp()) {
				queue.abandon(waiter);
				throw shutDown();
			}
			else {
				return queue;
			}
		}
	}

	/**
	 * Claim a key for an acquirer that tries several at once.
	 * @return the claim; {@code null} if the key is busy, or nobody knows, as the waiter
	 * was told
	 * @throws IllegalStateException if the registry is shut down
	 */
	@Nullable Claim claim(String key, Waiter waiter) {
		while (true) {
			LocalQueue queue = queue(key);
			Claim claim = queue.claim(waiter);
			if (claim == null && !waiter.isDecided()) {
				Thread.onSpinWait();
			}
			else if (claim != null && this.closing && waiter.giveUp()) {
				claim.giveBack();
				throw shutDown();
			}
			else {
				return claim;
			}
		}
	}

	private LocalQueue queue(String key) {
		if (this.closing) {
			throw shutDown();
		}
		return this.queues.computeIfAbsent(key, (absent) -> new LocalQueue(absent, this));
	}

	/**
	 * Refuse an acquirer of several keys at shutdown, wherever it is by then: between two
	 * attempts it waits in no queue. Called before it looks for its first key.
	 */
	void refuseAtShutdown(CompletableFuture<?> result) {
		Runnable refusal = () -> result.completeExceptionally(shutDown());
		long number = this.lastCombined.incrementAndGet();
		this.combined.put(number, refusal);
		Completions.on(result, (leases, failure) -> this.combined.remove(number));
	}

	void close() {
		this.closing = true;
		for (LocalQueue queue : this.queues.values()) {
			queue.refuse(shutDown());
		}
		this.combined.values().forEach(Runnable::run);
		completeWhenDrained();
	}

	/**
	 * Return what completes when the last lease is released after {@link #close()}.
	 */
	CompletableFuture<?> drained() {
		return this.drained;
	}

	List<DefaultLease> leases() {
		return this.queues.values().stream().flatMap((queue) -> Stream.ofNullable(queue.lease())).toList();
	}

	int waiterCount() {
		return this.queues.values().stream().mapToInt(LocalQueue::waiterCount).sum();
	}

	void retire(LocalQueue queue) {
		this.queues.remove(queue.key(), queue);
		if (this.closing) {
			completeWhenDrained();
		}
	}

	/**
	 * Look after the deadline and the renewal of a lease. Called after both can be seen
	 * in the queue.
	 */
	void leased(LocalQueue queue, DefaultLease lease) {
		this.deadlines.noLaterThan(lease.ownership().deadline());
		this.watchdog.renewInTime(queue);
		if (this.overlong != null) {
			this.overlong.watch(lease.since());
		}
	}

	void waiting(Waiter waiter) {
		if (this.overlong != null) {
			this.overlong.watch(waiter.since());
		}
	}

	WaitLimit waitLimit() {
		return this.waitLimit;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	AcquireOperations operations() {
		return this.operations;
	}

	Inspection inspection() {
		return this.inspection;
	}

	String instance() {
		return this.store.instance();
	}

	String nextOwnerId() {
		return instance() + ":" + this.ownerIds.next();
	}

	void listen() {
		if (!this.closing && !this.listenRequested.get() && this.listenRequested.compareAndSet(false, true)) {
			this.store.listen(this);
		}
	}

	boolean isListening() {
		return this.listening;
	}

	/**
	 * Return whether signals are received; {@code null} if none were needed so far.
	 */
	@Nullable Boolean listeningState() {
		return this.listenRequested.get() ? this.listening : null;
	}

	/**
	 * Tell the listeners that a key stays for longer than was asked for. It does so at
	 * every poll, and other keys do so, too: told once in a while for each key, and for
	 * some keys only.
	 */
	void clockSetBack(String key, Duration remaining, Duration setBack) {
		long now = this.timing.now();
		long due = this.clockToldAgainAt.get();
		if (now >= due && this.clockToldAgainAt.compareAndSet(due, now + CLOCK_TOLD_EVERY)) {
			this.clockTold.clear();
		}
		if (this.clockTold.size() < CLOCK_TOLD_KEYS && this.clockTold.add(key)) {
			this.events.tell((listener) -> listener.clockSetBack(key, remaining, setBack));
		}
	}

	RegistrySettings settings() {
		return this.settings;
	}

	Timing timing() {
		return this.timing;
	}

	StoreClient store() {
		return this.store;
	}

	OrphanCleaner orphans() {
		return this.store.orphans();
	}

	Monitoring monitoring() {
		return this.monitoring;
	}

	Events events() {
		return this.events;
	}

	@Override
	public void reserved(String key) {
		LocalQueue queue = this.queues.get(key);
		if (queue == null || !queue.reserved()) {
			passOn(key);
		}
	}

	/**
	 * Leave the queue of a key that is reserved in vain. Who came meanwhile may have lost
	 * its place in the queue with this.
	 */
	private void passOn(String key) {
		Completions.on(leaveQueue(key), (left, failure) -> {
			LocalQueue newcomer = this.queues.get(key);
			if (newcomer != null) {
				newcomer.wakeUp();
			}
		});
	}

	void leave(String key) {
		var unused = leaveQueue(key);
	}

	private CompletableFuture<?> leaveQueue(String key) {
		this.leaving.add(key);
		CompletableFuture<?> left = this.store.leave(key);
		Completions.on(left, (done, failure) -> {
			if (failure != null) {
				this.inDoubtUntil = this.timing.now() + QUEUE_EXPIRY;
			}
			this.leaving.remove(key);
		});
		return left;
	}

	/**
	 * Return whether this instance may stand in the queue of a key that nobody here knew
	 * of before: nobody knows whether it left.
	 */
	boolean mayBeQueued(String key) {
		return this.leaving.contains(key) || this.timing.now() < this.inDoubtUntil;
	}

	/**
	 * Renew all leases and ask again for all keys that somebody here waits for: commands
	 * go over another connection, perhaps to another server. Leases are renewed even
	 * after shutdown. Called on a thread of the store, done on the one of the watchdog. A
	 * copy of a running process comes here, too, as it has to connect anew.
	 */
	@Override
	public void reconnected() {
		this.ownerIds.leap();
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
			this.queues.values().forEach(LocalQueue::wakeUp);
		}
	}

	@Override
	public void forced(String key, String ownerId) {
		if (!ownerId.startsWith(instance() + ":")) {
			return;
		}
		this.forcedOwners.add(ownerId);
		LocalQueue queue = this.queues.get(key);
		if (queue != null) {
			queue.forced(ownerId);
		}
	}

	boolean wasForced(String ownerId) {
		return this.forcedOwners.contains(ownerId);
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
		this.listening = active;
		for (LocalQueue queue : this.queues.values()) {
			if (active) {
				queue.wakeUp();
			}
			else {
				queue.signalsLost();
			}
		}
	}

	private long checkDeadlines(long now) {
		long next = Ticker.NEVER;
		for (LocalQueue queue : this.queues.values()) {
			next = Math.min(next, queue.checkDeadline());
		}
		return next;
	}

	private void completeWhenDrained() {
		if (this.queues.isEmpty()) {
			this.drained.complete(null);
		}
	}

	static IllegalStateException shutDown() {
		return new IllegalStateException("The lock registry is shut down: it grants no more locks");
	}

}
