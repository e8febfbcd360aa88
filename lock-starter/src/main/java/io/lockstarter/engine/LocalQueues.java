package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.lockstarter.LockListener;

/**
 * All local queues of one instance and what they share: the store, the timers, the
 * signals. One is made for each time the registry is started.
 */
final class LocalQueues implements LockStore.Signals {

	private static final long CLOCK_TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

	private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

	private final AtomicBoolean listenRequested = new AtomicBoolean();

	private final AtomicLong clockToldAgainAt = new AtomicLong();

	private final CountDownLatch drained = new CountDownLatch(1);

	private final Supplier<String> ownerIds;

	private final RegistrySettings settings;

	private final Timing timing;

	private final StoreClient store;

	private final Events events;

	private final Sweeper deadlines;

	private final Watchdog watchdog;

	private volatile boolean listening;

	private volatile boolean closing;

	LocalQueues(String instance, Supplier<String> ownerIds, LockStore store, RegistrySettings settings, Timing timing,
			List<LockListener> listeners) {
		this.ownerIds = ownerIds;
		this.settings = settings;
		this.timing = timing;
		this.store = new StoreClient(store, instance, timing, settings.commandTimeout());
		this.events = new Events(listeners, timing.events());
		this.deadlines = new Sweeper(timing.ticker(), timing.deadlines(), this::checkDeadlines);
		this.watchdog = new Watchdog(this.queues.values(), this.store, timing);
	}

	/**
	 * Put an acquirer into the queue of its key.
	 * @throws IllegalStateException if the registry is shut down
	 */
	LocalQueue join(String key, Waiter waiter) {
		while (true) {
			if (this.closing) {
				throw shutDown();
			}
			LocalQueue queue = this.queues.computeIfAbsent(key, (absent) -> new LocalQueue(absent, this));
			if (!queue.join(waiter)) {
				Thread.onSpinWait();
			}
			else if (this.closing && waiter.cancel(false)) {
				queue.abandon(waiter);
				throw shutDown();
			}
			else {
				return queue;
			}
		}
	}

	/**
	 * Refuse new acquirers and those that wait.
	 */
	void close() {
		this.closing = true;
		for (LocalQueue queue : this.queues.values()) {
			queue.refuse(shutDown());
		}
		countDownWhenDrained();
	}

	/**
	 * Completes once the last lease is released after {@link #close()}.
	 */
	CountDownLatch drained() {
		return this.drained;
	}

	/**
	 * Return the leases that are out.
	 */
	List<DefaultLease> leases() {
		List<DefaultLease> leases = new ArrayList<>();
		for (LocalQueue queue : this.queues.values()) {
			Hold hold = queue.hold();
			DefaultLease lease = (hold != null) ? hold.lease() : null;
			if (lease != null) {
				leases.add(lease);
			}
		}
		return leases;
	}

	void retire(LocalQueue queue) {
		this.queues.remove(queue.key(), queue);
		if (this.closing) {
			countDownWhenDrained();
		}
	}

	/**
	 * A lease was granted: its deadline and its renewal are to be looked after. Called
	 * after both can be seen in the queue.
	 */
	void leased(Hold hold) {
		this.deadlines.noLaterThan(hold.deadline());
		this.watchdog.renewInTime(hold);
	}

	String nextOwnerId() {
		return this.ownerIds.get();
	}

	/**
	 * Start to receive signals, at the first contention.
	 */
	void listen() {
		if (!this.closing && !this.listenRequested.get() && this.listenRequested.compareAndSet(false, true)) {
			this.store.listen(this);
		}
	}

	boolean isListening() {
		return this.listening;
	}

	/**
	 * A key stays for longer than was asked for. It does so at every poll, and other keys
	 * do so, too: told now and then.
	 */
	void clockSetBack(String key, Duration remaining, Duration setBack) {
		long now = this.timing.now();
		long due = this.clockToldAgainAt.get();
		if (now >= due && this.clockToldAgainAt.compareAndSet(due, now + CLOCK_TOLD_EVERY)) {
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
	 * Who came meanwhile may have lost its place in the queue with this.
	 */
	private void passOn(String key) {
		Completions.on(this.store.leave(key), (left, failure) -> {
			LocalQueue newcomer = this.queues.get(key);
			if (newcomer != null) {
				newcomer.listening();
			}
		});
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
				queue.listening();
			}
			else {
				queue.deafened();
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

	private void countDownWhenDrained() {
		if (this.queues.isEmpty()) {
			this.drained.countDown();
		}
	}

	private static IllegalStateException shutDown() {
		return new IllegalStateException("The lock registry is shut down: it grants no more locks");
	}

}
