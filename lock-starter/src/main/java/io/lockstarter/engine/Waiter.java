// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * One acquirer in a {@link LocalQueue}. Its outcome is decided once, under the mutex of
 * the queue, which it leaves with that: a grant, a busy key, a failure, or that it gave
 * up. It is told after the mutex was released, unless it gave up.
 */
final class Waiter implements ForkJoinPool.ManagedBlocker {

	private static final Object GIVEN_UP = new Object();

	private final String key;

	private final Terms terms;

	private final long since;

	private final @Nullable Thread thread;

	private final @Nullable Consumer<Waiter> whenDecided;

	private final Kind kind;

	private volatile @Nullable Object outcome;

	private volatile boolean parked;

	private volatile @Nullable LastAnswer answer;

	private long parkNanos;

	@Nullable Waiter previous;

	@Nullable Waiter next;

	boolean linked;

	private Waiter(String key, Terms terms, long since, @Nullable Thread thread, @Nullable Consumer<Waiter> whenDecided,
			Kind kind) {
		this.key = key;
		this.terms = terms;
		this.since = since;
		this.thread = thread;
		this.whenDecided = whenDecided;
		this.kind = kind;
	}

	/**
	 * Create a waiter for the current thread, which parks.
	 * @param since the instant from which the wait counts
	 */
	static Waiter parking(String key, Terms terms, long since) {
		return new Waiter(key, terms, since, Thread.currentThread(), null, Kind.WHOLE);
	}

	/**
	 * Create a waiter without a thread.
	 * @param whenDecided what to call when the outcome is decided; not if the acquirer
	 * gave up
	 */
	static Waiter calling(Kind kind, String key, Terms terms, long since, Consumer<Waiter> whenDecided) {
		return new Waiter(key, terms, since, null, whenDecided, kind);
	}

	String key() {
		return this.key;
	}

	Terms terms() {
		return this.terms;
	}

	/**
	 * Return the thread that parks, or is about to, unless the acquirer is called back.
	 */
	@Nullable Thread thread() {
		return this.thread;
	}

	long since() {
		return this.since;
	}

	/**
	 * Return up to when the acquirer waits. May be called under the mutex of the queue,
	 * or by the acquirer.
	 */
	long waitUntil() {
		return Ticker.plus(this.since, this.terms.waitNanos());
	}

	Kind kind() {
		return this.kind;
	}

	// The outcome

	void grant(DefaultLease lease) {
		this.outcome = lease;
	}

	/**
	 * End a wait for a key that stayed busy.
	 */
	void busy(BusyKey busy) {
		this.outcome = busy;
	}

	void fail(RuntimeException failure) {
		this.outcome = failure;
	}

	/**
	 * End a wait that its acquirer gave up.
	 */
	void gaveUp() {
		this.outcome = GIVEN_UP;
	}

	boolean isDecided() {
		return this.outcome != null;
	}

	@Nullable DefaultLease lease() {
		return (this.outcome instanceof DefaultLease lease) ? lease : null;
	}

	/**
	 * Return what was known when the wait ended, as the key stayed busy.
	 */
	@Nullable BusyKey busyKey() {
		return (this.outcome instanceof BusyKey busy) ? busy : null;
	}

	boolean isBusy() {
		return this.outcome instanceof BusyKey;
	}

	/**
	 * Return the exception for a key that stayed busy.
	 * @param outer the scope in which the acquirer was called
	 */
	LockNotAcquiredException notAcquired(String instance, long now, @Nullable LockScope outer) {
		Duration waited = Duration.ofNanos(now - this.since);
		BusyKey busy = busyKey();
		if (busy == null) {
			return new LockNotAcquiredException(this.key, waited, holders());
		}
		boolean heldByOuterCall = outer != null
				&& outer.leases().stream().anyMatch((lease) -> lease.key().equals(this.key));
		return new LockNotAcquiredException(this.key, busy.details(waited, instance, heldByOuterCall, now));
	}

	@Nullable RuntimeException failure() {
		return (this.outcome instanceof RuntimeException failure) ? failure : null;
	}

	/**
	 * Tell the acquirer that its outcome is decided. Not called under a mutex: what is
	 * told may call back.
	 */
	void tell() {
		if (this.whenDecided != null) {
			this.whenDecided.accept(this);
		}
		else if (this.parked) {
			LockSupport.unpark(this.thread);
		}
	}

	// What is known of the key

	/**
	 * Note the answer of the store that somebody else has the key.
	 */
	void answered(LastAnswer answer) {
		this.answer = answer;
	}

	boolean isAnswered() {
		return this.answer != null;
	}

	/**
	 * Return who holds the key, as far as known.
	 */
	List<String> holders() {
		BusyKey busy = busyKey();
		LastAnswer answer = this.answer;
		String holder = (busy != null) ? busy.holder() : (answer != null) ? answer.holder() : null;
		return (holder != null) ? List.of(holder) : List.of();
	}

	// Parking

	/**
	 * Park until the outcome is decided, for a while.
	 * @param nanos how long; {@link Ticker#NEVER} for as long as it takes
	 * @return whether it is decided; may be wrong about time that is left
	 * @throws InterruptedException if interrupted before it was decided
	 */
	boolean park(long nanos) throws InterruptedException {
		if (isDecided()) {
			return true;
		}
		this.parkNanos = nanos;
		this.parked = true;
		if (!isReleasable()) {
			if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
				blockInPool();
			}
			else {
				block();
			}
		}
		if (isDecided()) {
			return true;
		}
		if (Thread.interrupted()) {
			throw Interrupts.interrupted(this.key);
		}
		return false;
	}

	/**
	 * Block with the compensation of the pool. A pool that has enough blocked threads
	 * already refuses it; this thread blocks all the same, as it is in the queue.
	 */
	private void blockInPool() throws InterruptedException {
		try {
			ForkJoinPool.managedBlock(this);
		}
		catch (RejectedExecutionException ex) {
			if (!isReleasable()) {
				block();
			}
		}
	}

	@Override
	public boolean block() {
		if (this.parkNanos == Ticker.NEVER) {
			LockSupport.park(this);
		}
		else {
			LockSupport.parkNanos(this, this.parkNanos);
		}
		return true;
	}

	@Override
	public boolean isReleasable() {
		return isDecided() || this.parkNanos <= 0 || Thread.currentThread().isInterrupted();
	}

	/**
	 * What a waiter is of its acquirer.
	 */
	enum Kind {

		/**
		 * All of it.
		 */
		WHOLE,

		/**
		 * One of several keys, which is tried by one command. It ends with the answer.
		 */
		CLAIM,

		/**
		 * One of several keys. The acquirer as a whole tells of its end.
		 */
		PART,

		/**
		 * The same, for an acquirer that is seen waiting for another key already.
		 */
		OTHER_PART

	}

}
