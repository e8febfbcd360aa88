package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.engine.Contender.Attempt;
import io.lockstarter.engine.LockStore.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which all acquirers of one key in this JVM meet, first in, first out, so
 * that the JVM is a single {@link Contender} at the store. When a lease is released its
 * hold is passed to the next waiter without a round trip, or given back to the store. The
 * queue lives from the first acquirer to the last release and is then retired.
 * <p>
 * The mutex guards all of it and is never held while anything blocks, nor while an
 * acquirer is told its outcome. Lock order: this mutex, then none but those inside a
 * scheduler or a store. Nobody holds the mutexes of two queues.
 */
final class LocalQueue {

	/**
	 * Nobody waits.
	 */
	static final long DESERTED = -1;

	private static final CompletableFuture<Boolean> HELD = CompletableFuture.completedFuture(true);

	private final ReentrantLock mutex = new ReentrantLock();

	private final String key;

	private final LocalQueues engine;

	private final WaiterList waiters = new WaiterList();

	private final Contender contender;

	private final Holding holding;

	private boolean retired;

	/**
	 * Whether there may be waiters whose wait is over, but not their patience.
	 */
	private boolean overdue;

	// those whose outcome is decided but not told yet, linked by their next
	private @Nullable Waiter decidedFirst;

	private @Nullable Waiter decidedLast;

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
			unlock();
		}
	}

	/**
	 * Unlock, and tell those whose outcome was decided under the mutex: what they do then
	 * must not hold up others, nor take a second mutex.
	 */
	private void unlock() {
		Waiter told = null;
		if (this.decidedFirst != null && this.mutex.getHoldCount() == 1) {
			told = this.decidedFirst;
			this.decidedFirst = null;
			this.decidedLast = null;
		}
		this.mutex.unlock();
		while (told != null) {
			Waiter next = told.next;
			told.next = null;
			told.tell();
			told = next;
		}
	}

	private void tellLater(Waiter decided) {
		if (this.decidedLast != null) {
			this.decidedLast.next = decided;
		}
		else {
			this.decidedFirst = decided;
		}
		this.decidedLast = decided;
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
			enter(waiter);
			return true;
		}
		finally {
			unlock();
		}
	}

	/**
	 * Claim the key, if it is idle, for an acquirer that tries several at once.
	 * @return the claim; {@code null} if the key is busy, or if nobody knows as the store
	 * fails, which the waiter is told, or if this queue is retired
	 */
	@Nullable Claim claim(Waiter waiter) {
		this.mutex.lock();
		try {
			if (this.retired) {
				return null;
			}
			LockStoreException failure = this.contender.failure();
			if (!isIdle() && failure != null) {
				waiter.fail(failure);
				return null;
			}
			if (!isIdle()) {
				waiter.busy(holder());
				return null;
			}
			this.waiters.add(waiter);
			return new Claim(this, waiter, this.contender.claim(waiter.terms().ttl()));
		}
		finally {
			unlock();
		}
	}

	/**
	 * The store answered to a claim.
	 */
	void answered(Attempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		locked(() -> this.contender.answered(attempt, reply, failure));
	}

	/**
	 * Give a claim back: the store was not asked, or did not look at this key. Others may
	 * have come meanwhile.
	 */
	void withdraw(Attempt attempt, Waiter waiter) {
		locked(() -> {
			waiter.giveUp();
			this.waiters.remove(waiter);
			this.contender.withdraw(attempt);
			if (!isIdle()) {
				return;
			}
			if (endOverdue() == DESERTED) {
				retireIfIdle();
			}
			else {
				askForHead();
			}
		});
	}

	/**
	 * Take out a waiter that gave up.
	 */
	void abandon(Waiter waiter) {
		locked(() -> remove(waiter));
	}

	/**
	 * Fail all waiters.
	 */
	void refuse(RuntimeException failure) {
		locked(() -> {
			failAll(failure);
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
			if (!waiter.linked) {
				return Ticker.NEVER;
			}
			long now = now();
			long until = until(waiter, now);
			if (now < until) {
				this.overdue |= now >= waiter.waitUntil();
				return until;
			}
			end(waiter, now);
			leaveIfDeserted();
			return Ticker.NEVER;
		}
		finally {
			unlock();
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
			unlock();
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
			unlock();
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
	 * It is worth asking now: signals are received from now on, a release was not
	 * confirmed, or the store was reached over a new connection. There may be no place in
	 * the queue of the store any more.
	 */
	void nudge() {
		locked(this.contender::nudge);
	}

	/**
	 * Signals are no longer received.
	 */
	void deafened() {
		locked(this.contender::deafened);
	}

	// Called back under the mutex

	boolean isDeserted() {
		return this.waiters.isEmpty();
	}

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
		if (head == null || head.isDecided() || !head.terms().ttl().equals(late.ttl())) {
			return false;
		}
		long now = now();
		if (now >= this.engine.patience().until(head, Ticker.NEVER, now)) {
			return false;
		}
		this.contender.askAgain(head.terms().ttl(), mayWait(head), late);
		return true;
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
			if (!head.isDecided() && now < head.waitUntil()) {
				endOverdueIfAny();
				return !isDeserted();
			}
			head.busy(holder);
			take(head);
		}
		return false;
	}

	/**
	 * The store failed. For good: all who wait are told, as each on its own would only
	 * wait for the same failure. For now: those are told who cannot wait any longer.
	 * @return as {@link #endOverdue()}
	 */
	long failed(LockStoreException failure) {
		this.holding.stay();
		if (!failure.isTransient()) {
			failAll(failure);
		}
		return endOverdue();
	}

	/**
	 * End the wait of all whose patience is over.
	 * @return the earliest end of the patience of those that try once,
	 * {@link Ticker#NEVER} if none does; {@link #DESERTED} if nobody waits any more
	 */
	long endOverdue() {
		long now = now();
		long once = Ticker.NEVER;
		Waiter next;
		for (Waiter waiter = this.waiters.first(); waiter != null; waiter = next) {
			next = waiter.next;
			long until = until(waiter, now);
			if (waiter.isDecided() || until <= now) {
				end(waiter, now);
			}
			else if (waiter.terms().triesOnce()) {
				once = Math.min(once, until);
			}
		}
		return this.waiters.isEmpty() ? DESERTED : once;
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

	/**
	 * Whoever cannot wait is told at once that the key is busy, which it is: somebody
	 * here has it or is about to get it. While the store fails nobody knows.
	 */
	private void enter(Waiter waiter) {
		boolean idle = isIdle();
		boolean failing = this.contender.failure() != null;
		if (!idle && !failing && now() >= waiter.waitUntil()) {
			waiter.busy(holder());
			tellLater(waiter);
			return;
		}
		this.overdue |= failing;
		this.waiters.add(waiter);
		if (idle) {
			askForHead();
		}
		else if (hold() != null) {
			this.engine.listen();
		}
		else if (this.contender.isWaiting() && !failing) {
			waiter.answeredBusy(this.contender.holder());
		}
	}

	private void ask(Waiter head, @Nullable Hold prolonged) {
		this.contender.ask(head.terms().ttl(), mayWait(head), prolonged);
	}

	private boolean mayWait(Waiter head) {
		return !this.waiters.isSingle() || (!head.terms().triesOnce() && now() < head.waitUntil());
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
			if (waiter.isDecided()) {
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
					tellLater(waiter);
					endOverdueIfAny();
					listenIfContended();
					return HELD;
				}
			}
		}
		return giveBack(hold, ended);
	}

	/**
	 * Once in a poll interval the store is asked in any case, as the signal that others
	 * wait there may have been lost; once in a slice if no signals are received.
	 */
	private boolean covers(Hold hold, Waiter waiter) {
		long now = now();
		RegistrySettings settings = this.engine.settings();
		Duration unasked = this.engine.isListening() ? settings.pollInterval() : settings.slice();
		return hold.covers(waiter.terms(), now) && now - hold.askedAt() < unasked.toNanos();
	}

	/**
	 * Return up to when somebody waits, as things are now.
	 */
	private long until(Waiter waiter, long now) {
		long waitUntil = waiter.waitUntil();
		return (now < waitUntil || isAnswered(waiter)) ? waitUntil
				: this.engine.patience().until(waiter, this.contender.askedAt(), now);
	}

	private boolean isAnswered(Waiter waiter) {
		return waiter.answered() || hold() != null || this.contender.isKnownBusy(waiter.since());
	}

	/**
	 * End a wait. What the store said last counts, except that a key that it called busy
	 * counts as busy although it failed since: its holder may still be there, and a
	 * caller that goes on without its lock if the store fails must not run beside it.
	 */
	private void end(Waiter waiter, long now) {
		LockStoreException failure = this.contender.failure();
		if (isAnswered(waiter)) {
			waiter.busy(holder());
		}
		else if (failure != null) {
			waiter.fail(failure);
		}
		else {
			waiter.fail(this.engine.store().noAnswer(this.key, now - waiter.since()));
		}
		take(waiter);
	}

	private void failAll(RuntimeException failure) {
		for (Waiter waiter = this.waiters.poll(); waiter != null; waiter = this.waiters.poll()) {
			waiter.fail(failure);
			tellLater(waiter);
		}
	}

	private void endOverdueIfAny() {
		if (this.overdue) {
			this.overdue = false;
			endOverdue();
		}
	}

	/**
	 * Take out somebody whose outcome is decided.
	 */
	private void take(Waiter waiter) {
		this.waiters.remove(waiter);
		tellLater(waiter);
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
