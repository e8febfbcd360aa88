package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which all acquirers of one key in this JVM meet, first in, first out, so
 * that the JVM is a single {@link Contender} at the store. When a lease is released its
 * hold is passed to the next waiter without a round trip, or given back to the store. The
 * queue lives from the first acquirer to the last release and is then retired.
 * <p>
 * The mutex guards all of it and is never held while anything blocks. Lock order: this
 * mutex, then none but those inside a scheduler or a store.
 */
final class LocalQueue {

	private static final CompletableFuture<Boolean> HELD = CompletableFuture.completedFuture(true);

	private final ReentrantLock mutex = new ReentrantLock();

	private final String key;

	private final LocalQueues engine;

	private final WaiterList waiters = new WaiterList();

	private final Contender contender;

	private final Holding holding;

	private boolean retired;

	LocalQueue(String key, LocalQueues engine) {
		this.key = key;
		this.engine = engine;
		this.contender = new Contender(this, engine);
		this.holding = new Holding(this, engine);
	}

	String key() {
		return this.key;
	}

	long now() {
		return this.engine.timing().now();
	}

	@Nullable Hold hold() {
		return this.holding.hold();
	}

	void locked(Runnable transition) {
		this.mutex.lock();
		try {
			transition.run();
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Add an acquirer at the end.
	 * @return whether this queue took care of it; if not, it is retired, and another must
	 * be asked for
	 */
	boolean join(Waiter waiter) {
		this.mutex.lock();
		try {
			if (this.retired) {
				return false;
			}
			take(waiter);
			return true;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Take out a waiter that somebody completed from outside.
	 */
	void abandon(Waiter waiter) {
		locked(() -> remove(waiter));
	}

	/**
	 * Fail all waiters.
	 */
	void refuse(RuntimeException failure) {
		locked(() -> {
			this.waiters.drain((waiter) -> waiter.completeExceptionally(failure));
			leaveIfDeserted();
		});
	}

	/**
	 * End the wait of an acquirer if its time is over.
	 * @return when to ask again; {@link Ticker#NEVER} if the waiter is completed
	 */
	long expire(Waiter waiter) {
		this.mutex.lock();
		try {
			long now = now();
			if (!waiter.linked) {
				return Ticker.NEVER;
			}
			if (now < waiter.waitUntil()) {
				return waiter.waitUntil();
			}
			boolean unanswered = this.contender.isAsking() && this.waiters.first() == waiter && !waiter.answered();
			long answerUntil = unanswered ? Ticker.plus(this.contender.askedAt(), waiter.patience()) : now;
			if (now < answerUntil) {
				return answerUntil;
			}
			if (unanswered) {
				waiter.completeExceptionally(this.engine.store().noAnswer(this.key, now - waiter.since()));
			}
			else {
				waiter.busy(holder());
			}
			remove(waiter);
			return Ticker.NEVER;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Release a lease: pass its hold on, give it back to the store, or leave it there.
	 * @param lease the lease
	 * @param used whether a holder had it, so that its shortest hold counts
	 * @return whether the lease was held up to now, as far as known when it completes
	 */
	CompletableFuture<Boolean> release(DefaultLease lease, boolean used) {
		this.mutex.lock();
		try {
			if (!this.holding.end(lease)) {
				return CompletableFuture.completedFuture(false);
			}
			long rest = lease.restOfMinHold(now());
			if (used && rest > 0) {
				return leaveBehind(lease, Duration.ofNanos(rest));
			}
			if (this.waiters.isEmpty() || this.holding.mustYield()) {
				return giveBack(lease.hold(), lease);
			}
			return grant(lease.hold(), lease, false);
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Release a lease. What depends on the outcome runs where it may block.
	 */
	CompletableFuture<Boolean> releaseAsync(DefaultLease lease) {
		return release(lease, true).whenCompleteAsync((held, failure) -> {
		}, this.engine.timing().async());
	}

	/**
	 * Lose the lease that is out if its deadline has passed.
	 * @return the deadline to look at next
	 */
	long checkDeadline() {
		Hold hold = hold();
		if (hold != null && now() >= hold.deadline()) {
			locked(this.holding::loseIfOverdue);
		}
		Hold current = hold();
		return (current != null) ? current.deadline() : Ticker.NEVER;
	}

	/**
	 * The store answered a renewal that was sent at the given instant.
	 */
	void renewed(Hold hold, long sentAt, boolean held) {
		locked(() -> this.holding.renewed(hold, sentAt, held));
	}

	void onLost(DefaultLease lease, Consumer<LossCause> action) {
		locked(() -> this.holding.onLost(lease, action));
	}

	/**
	 * The key is reserved for this instance.
	 * @return whether somebody here has a use for it
	 */
	boolean reserved() {
		this.mutex.lock();
		try {
			this.contender.nudge();
			return !this.retired;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Another instance waits, or may.
	 */
	void contended() {
		locked(() -> {
			if (hold() != null || this.contender.isAsking()) {
				this.holding.yieldWithinSlice();
			}
		});
	}

	/**
	 * Signals are received from now on: stand in the queue of the store.
	 */
	void listening() {
		locked(this.contender::nudge);
	}

	/**
	 * Signals are no longer received: assume the worst.
	 */
	void deafened() {
		contended();
		locked(this.contender::deafened);
	}

	/**
	 * A release was not confirmed, so there may be no place in the queue of the store
	 * either.
	 */
	void notGivenBack() {
		locked(this.contender::nudge);
	}

	// Called back under the mutex

	void askForHead() {
		Waiter head = this.waiters.first();
		if (head != null) {
			ask(head, null);
		}
	}

	/**
	 * The answer came when the deadline of the hold had passed already. Twice in a row
	 * would mean that the ttl is too short for this store.
	 * @return whether somebody has the time to ask again
	 */
	boolean askAgain(Hold late) {
		Waiter head = this.waiters.first();
		if (head == null || head.isDone() || now() >= head.waitUntil() || !head.terms().ttl().equals(late.ttl())) {
			return false;
		}
		ask(head, late);
		return true;
	}

	/**
	 * The answer came too late for the head of the queue. Those behind it have had no
	 * answer yet.
	 */
	void late(LockStoreException failure) {
		Waiter head = this.waiters.first();
		if (head != null) {
			head.completeExceptionally(failure);
			this.waiters.remove(head);
		}
		askForHead();
	}

	void acquired(Hold hold, boolean contended) {
		if (contended) {
			this.holding.yieldWithinSlice();
		}
		var unused = grant(hold, null, true);
	}

	/**
	 * The key is busy.
	 * @return whether somebody waits on
	 */
	boolean busy(@Nullable String holder) {
		this.holding.stay();
		long now = now();
		for (Waiter head = this.waiters.first(); head != null; head = this.waiters.first()) {
			head.answeredBusy(holder);
			if (!head.isDone() && now < head.waitUntil()) {
				return true;
			}
			head.busy(holder);
			this.waiters.remove(head);
		}
		return false;
	}

	/**
	 * The store failed. All who wait now are told, as each on its own would only wait for
	 * the same failure.
	 */
	void failed(LockStoreException failure) {
		this.holding.stay();
		this.waiters.drain((waiter) -> waiter.completeExceptionally(failure));
	}

	void lost() {
		askForHead();
		retireIfIdle();
	}

	void retireIfIdle() {
		if (!this.retired && isIdle()) {
			this.retired = true;
			this.engine.retire(this);
		}
	}

	private boolean isIdle() {
		return hold() == null && !this.contender.isAsking() && !this.contender.isWaiting();
	}

	private void take(Waiter waiter) {
		boolean idle = isIdle();
		if (!idle && waiter.terms().triesOnce()) {
			waiter.busy(holder());
			return;
		}
		this.waiters.add(waiter);
		if (idle) {
			askForHead();
		}
		else if (hold() != null) {
			this.engine.listen();
		}
	}

	private void ask(Waiter head, @Nullable Hold prolonged) {
		boolean mayWait = !head.terms().triesOnce() || !this.waiters.isSingle();
		this.contender.ask(head.terms().ttl(), mayWait, prolonged);
	}

	/**
	 * Lease a hold to the first waiter that still wants it. If the waiter needs more than
	 * is left of the hold, acquire again first, by the same owner id. If it asks for
	 * another ttl, acquire anew: a renewal under way could set the old ttl again.
	 * @param ended the lease that the hold was out for, if any
	 * @param fresh whether the hold was acquired just now
	 * @return whether the lease that ended was held up to now
	 */
	private CompletableFuture<Boolean> grant(Hold hold, @Nullable DefaultLease ended, boolean fresh) {
		for (Waiter waiter = this.waiters.first(); waiter != null; waiter = this.waiters.first()) {
			if (waiter.isDone()) {
				this.waiters.remove(waiter);
			}
			else if (!waiter.terms().ttl().equals(hold.ttl())) {
				CompletableFuture<Boolean> outcome = this.holding.giveBack(hold, ended, false);
				ask(waiter, null);
				return outcome;
			}
			else if (!(fresh ? hold.isGood(now()) : covers(hold, waiter))) {
				ask(waiter, hold);
				return HELD;
			}
			else {
				this.waiters.remove(waiter);
				if (this.holding.lease(hold, waiter)) {
					listenIfContended();
					return HELD;
				}
			}
		}
		return giveBack(hold, ended);
	}

	/**
	 * Once in a poll interval the store is asked in any case, as the signal that others
	 * wait there may have been lost.
	 */
	private boolean covers(Hold hold, Waiter waiter) {
		long now = now();
		return hold.covers(waiter.terms(), now)
				&& now - hold.askedAt() < this.engine.settings().pollInterval().toNanos();
	}

	private void listenIfContended() {
		if (!this.waiters.isEmpty()) {
			this.engine.listen();
		}
	}

	private CompletableFuture<Boolean> giveBack(Hold hold, @Nullable DefaultLease lease) {
		boolean requeue = !this.waiters.isEmpty();
		if (requeue) {
			this.contender.requeued(hold);
		}
		CompletableFuture<Boolean> outcome = this.holding.giveBack(hold, lease, requeue);
		retireIfIdle();
		return outcome;
	}

	/**
	 * Nobody has the key for the rest of the shortest hold, and nobody signals its end.
	 */
	private CompletableFuture<Boolean> leaveBehind(DefaultLease lease, Duration rest) {
		CompletableFuture<Boolean> outcome = this.holding.leaveBehind(lease, rest);
		if (!this.waiters.isEmpty()) {
			this.contender.await(rest);
		}
		retireIfIdle();
		return outcome;
	}

	private void remove(Waiter waiter) {
		if (this.waiters.remove(waiter)) {
			leaveIfDeserted();
		}
	}

	private void leaveIfDeserted() {
		if (this.waiters.isEmpty() && this.contender.isWaiting()) {
			this.contender.leave();
			retireIfIdle();
		}
	}

	private @Nullable String holder() {
		Hold hold = hold();
		return (hold != null) ? hold.ownerId() : this.contender.holder();
	}

}
