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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.engine.Contender.AcquireAttempt;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which all acquirers of one key in this JVM meet, first in, first out, so
 * that the JVM is a single {@link Contender} at the store. When a lease is released its
 * ownership is passed to the next waiter without a round trip, or given back to the
 * store. The queue lives from the first acquirer to the last release and is then retired.
 * <p>
 * The mutex guards all of it and is never held while anything blocks, nor while an
 * acquirer is told its outcome. Lock order: this mutex, then none but those inside a
 * scheduler or a store. Nobody holds the mutexes of two queues.
 */
final class LocalQueue implements Lessor {

	private static final CompletableFuture<Boolean> HELD = CompletableFuture.completedFuture(true);

	private final ReentrantLock mutex = new ReentrantLock();

	private final String key;

	private final Services services;

	private final QueueHost host;

	private final WaiterList waiters = new WaiterList();

	private final Contender contender;

	private final CurrentLease current;

	private boolean retired;

	/**
	 * Whether there may be waiters whose wait time is over, but not their wait limit.
	 */
	private boolean overdue;

	// those whose outcome is decided but not told yet, linked by their next
	private @Nullable Waiter decidedFirst;

	private @Nullable Waiter decidedLast;

	LocalQueue(String key, Services services, QueueHost host) {
		this.key = key;
		this.services = services;
		this.host = host;
		this.contender = new Contender(this, services, host);
		this.current = new CurrentLease(this, services, host);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public long now() {
		return this.services.now();
	}

	@Nullable DefaultLease lease() {
		return this.current.lease();
	}

	@Override
	public void locked(Runnable transition) {
		this.mutex.lock();
		try {
			transition.run();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Unlock, and tell the waiters whose outcome was decided under the mutex: what they
	 * do then must not delay others, nor take a second mutex.
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
		this.services.monitoring().decided(decided);
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
	 * @return the command; {@code null} if the key is busy, or if nobody knows as the
	 * store fails, which the waiter is told, or if this queue is retired
	 */
	@Nullable AcquireAttempt claim(Waiter waiter) {
		this.mutex.lock();
		try {
			if (this.retired) {
				return null;
			}
			if (isIdle()) {
				this.waiters.add(waiter);
				return this.contender.claim(waiter.terms().ttl());
			}
			LockStoreException failure = this.contender.failure();
			if (failure != null) {
				waiter.fail(failure);
			}
			else {
				waiter.busy(busyKey(waiter));
			}
			return null;
		}
		finally {
			unlock();
		}
	}

	void answered(AcquireAttempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		locked(() -> this.contender.answered(attempt, reply, failure));
	}

	/**
	 * Give a claim back: the store was not asked, or did not look at this key. Others may
	 * have come meanwhile.
	 */
	void withdraw(AcquireAttempt attempt, Waiter waiter) {
		locked(() -> {
			waiter.giveUp();
			this.waiters.remove(waiter);
			this.contender.withdraw(attempt);
			if (isIdle()) {
				endOverdue();
				askOrLeave();
			}
		});
	}

	void abandon(Waiter waiter) {
		locked(() -> {
			if (this.waiters.remove(waiter)) {
				leaveIfNobodyWaits();
			}
		});
	}

	void refuse(RuntimeException failure) {
		locked(() -> {
			failAll(failure);
			leaveIfNobodyWaits();
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
			leaveIfNobodyWaits();
			return Ticker.NEVER;
		}
		finally {
			unlock();
		}
	}

	/**
	 * Release a lease: pass its ownership on, give it back to the store, or keep it
	 * there.
	 * @param used whether a holder had the lease, so that its minimum hold counts
	 * @return whether the lease was held up to now, as far as known when it completes
	 */
	@Override
	public CompletableFuture<Boolean> release(DefaultLease lease, boolean used) {
		this.mutex.lock();
		try {
			if (!this.current.end(lease)) {
				return CompletableFuture.completedFuture(false);
			}
			long rest = lease.restOfMinHold(now());
			if (used && rest > 0) {
				return keepForMinHold(lease, Duration.ofNanos(rest));
			}
			if (this.waiters.isEmpty() || this.current.mustYield()) {
				return giveBack(lease.ownership(), lease);
			}
			return grant(lease.ownership(), lease, false);
		}
		finally {
			unlock();
		}
	}

	/**
	 * Return the longest ttl that the store allows.
	 */
	@Override
	public Duration maxTtl() {
		return this.services.store().maxTtl();
	}

	/**
	 * Extend a lease. Dependent actions run where they may block.
	 */
	@Override
	public CompletableFuture<Boolean> extendAsync(DefaultLease lease, Duration ttl) {
		return extend(lease, ttl).whenCompleteAsync((held, failure) -> {
		}, this.services.timing().callbacks());
	}

	/**
	 * Release a lease. Dependent actions run where they may block.
	 */
	@Override
	public CompletableFuture<Boolean> releaseAsync(DefaultLease lease) {
		return release(lease, true).whenCompleteAsync((held, failure) -> {
		}, this.services.timing().callbacks());
	}

	/**
	 * Lose the lease that is out if its deadline has passed.
	 * @return the deadline to look at next
	 */
	@Override
	public long checkDeadline() {
		DefaultLease lease = lease();
		if (lease != null && now() >= lease.ownership().deadline()) {
			locked(this.current::loseIfOverdue);
		}
		DefaultLease left = lease();
		return (left != null) ? left.ownership().deadline() : Ticker.NEVER;
	}

	/**
	 * Act on the answer to a renewal.
	 * @return how much of the ttl counts, in nanoseconds
	 */
	long renewed(Ownership ownership, long sentAt, Duration ttl, boolean held) {
		this.mutex.lock();
		try {
			return this.current.renewed(ownership, sentAt, ttl, held);
		}
		finally {
			unlock();
		}
	}

	/**
	 * Renew a lease now, for a time of its holder's choice.
	 * @return whether the lease is held
	 */
	@Override
	public CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl) {
		this.mutex.lock();
		try {
			if (!this.current.extend(lease, ttl)) {
				return CompletableFuture.completedFuture(false);
			}
		}
		finally {
			unlock();
		}
		return this.host.extend(this, lease, ttl);
	}

	@Override
	public void onLost(DefaultLease lease, Consumer<LossCause> action) {
		locked(() -> this.current.onLost(lease, action));
	}

	/**
	 * Ask for the key, which is reserved for this instance.
	 * @return whether somebody here has a use for it
	 */
	boolean reserved() {
		this.mutex.lock();
		try {
			this.contender.wakeUp();
			return !this.retired;
		}
		finally {
			unlock();
		}
	}

	void contended() {
		locked(() -> {
			if (lease() != null || this.contender.isAsking()) {
				this.current.yieldWithinSlice();
			}
		});
	}

	/**
	 * Lose the key, which was taken from an owner id by force, or ask for it if nobody
	 * here held it any more.
	 */
	void forced(String ownerId) {
		locked(() -> {
			if (!this.current.forced(ownerId)) {
				this.contender.wakeUp();
			}
		});
	}

	void forEachWaiter(Consumer<Waiter> action) {
		locked(() -> {
			for (Waiter waiter = this.waiters.first(); waiter != null; waiter = waiter.next) {
				action.accept(waiter);
			}
		});
	}

	int waiterCount() {
		this.mutex.lock();
		try {
			return this.waiters.size();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Ask now: signals are received from now on, a release was not confirmed, or the
	 * store was reached over a new connection, and the place in the queue of the store
	 * may be gone.
	 */
	void wakeUp() {
		locked(this.contender::wakeUp);
	}

	void signalsLost() {
		locked(this.contender::signalsLost);
	}

	// Called by the contender and the current lease, under the mutex

	boolean hasNoWaiters() {
		return this.waiters.isEmpty();
	}

	void askForHead() {
		Waiter head = this.waiters.first();
		if (head != null) {
			ask(head, null, false);
		}
	}

	/**
	 * Ask for the head. If nobody waits any more, leave no trace at the store.
	 */
	void askOrLeave() {
		if (this.waiters.isEmpty()) {
			this.contender.leave();
			retireIfIdle();
		}
		else {
			askForHead();
		}
	}

	/**
	 * Ask again for what was granted, as the answer came after its deadline. Twice in a
	 * row would mean that the ttl is too short for this store.
	 * @return whether somebody has the time to ask again
	 */
	boolean askAgain(Ownership late) {
		Waiter head = this.waiters.first();
		if (head == null || head.isDecided() || !head.terms().ttl().equals(late.ttl())) {
			return false;
		}
		long now = now();
		if (now >= this.services.waitLimit().until(head, Ticker.NEVER, now)) {
			return false;
		}
		ask(head, late, true);
		return true;
	}

	void acquired(Ownership ownership, boolean contended) {
		if (contended) {
			this.current.yieldWithinSlice();
		}
		var unused = grant(ownership, null, true);
	}

	/**
	 * Answer those who cannot wait.
	 * @return whether somebody waits on
	 */
	boolean busy(@Nullable String holder) {
		this.current.forgetContention();
		long now = now();
		for (Waiter head = this.waiters.first(); head != null; head = this.waiters.first()) {
			head.answeredBusy(holder);
			if (!head.isDecided() && now < head.waitUntil()) {
				endOverdueIfAny();
				return !hasNoWaiters();
			}
			head.busy(busyKey(head));
			take(head);
		}
		return false;
	}

	/**
	 * Answer a failure of the store. For good: all who wait are told, as each on its own
	 * would only wait for the same failure. For now: as {@link #endOverdue()}.
	 */
	long failed(LockStoreException failure) {
		this.current.forgetContention();
		if (!failure.isTransient()) {
			failAll(failure);
		}
		return endOverdue();
	}

	/**
	 * End the wait of all whose wait limit has passed.
	 * @return the earliest wait limit of those that try once; {@link Ticker#NEVER} if
	 * none does
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
		return once;
	}

	void lost() {
		askForHead();
		retireIfIdle();
	}

	void retireIfIdle() {
		if (!this.retired && isIdle()) {
			this.retired = true;
			this.host.retired(this);
		}
	}

	private boolean isIdle() {
		return lease() == null && !this.contender.isAsking() && !this.contender.isWaiting();
	}

	/**
	 * Add a waiter. Whoever cannot wait is told at once that the key is busy, which it
	 * is: somebody here has it or is about to get it. While the store fails nobody knows.
	 */
	private void enter(Waiter waiter) {
		boolean idle = isIdle();
		boolean failing = this.contender.failure() != null;
		if (!idle && !failing && now() >= waiter.waitUntil()) {
			waiter.busy(busyKey(waiter));
			tellLater(waiter);
			return;
		}
		this.overdue |= failing;
		this.waiters.add(waiter);
		this.host.waiting(waiter);
		if (idle) {
			askForHead();
		}
		else if (lease() != null) {
			this.host.listen();
		}
		else if (this.contender.isWaiting() && !failing) {
			waiter.answeredBusy(this.contender.holder());
		}
	}

	private void ask(Waiter head, @Nullable Ownership prolonged, boolean again) {
		boolean mayWait = !this.waiters.isSingle() || (!head.terms().triesOnce() && now() < head.waitUntil());
		this.contender.ask(head.terms().ttl(), mayWait, prolonged, again);
	}

	/**
	 * Grant a lease to the first waiter that still wants one. If it needs more than is
	 * left of the ownership, acquire again first, by the same owner id. If it asks for
	 * another ttl, or the lease was extended, acquire anew: a renewal under way could set
	 * the old ttl again.
	 * @param ended the lease that was granted before, if any
	 * @param fresh whether the ownership was acquired just now
	 * @return whether the lease that ended was held up to now
	 */
	private CompletableFuture<Boolean> grant(Ownership ownership, @Nullable DefaultLease ended, boolean fresh) {
		for (Waiter waiter = this.waiters.first(); waiter != null; waiter = this.waiters.first()) {
			if (waiter.isDecided()) {
				this.waiters.remove(waiter);
			}
			else if (!ownership.fits(waiter.terms())) {
				CompletableFuture<Boolean> outcome = this.current.giveBack(ownership, ended, false);
				ask(waiter, null, false);
				return outcome;
			}
			else if (!(fresh ? ownership.isGood(now()) : covers(ownership, waiter))) {
				ask(waiter, ownership, false);
				return HELD;
			}
			else {
				this.waiters.remove(waiter);
				if (this.current.lease(ownership, waiter, !fresh)) {
					tellLater(waiter);
					endOverdueIfAny();
					if (!this.waiters.isEmpty()) {
						this.host.listen();
					}
					return HELD;
				}
			}
		}
		return giveBack(ownership, ended);
	}

	/**
	 * Once in a poll interval the store is asked in any case, as the signal that others
	 * wait there may have been lost; once in a slice if no signals are received.
	 */
	private boolean covers(Ownership ownership, Waiter waiter) {
		long now = now();
		RegistrySettings settings = this.services.settings();
		Duration unasked = this.host.isListening() ? settings.pollInterval() : settings.slice();
		return ownership.covers(waiter.terms(), now) && now - ownership.askedAt() < unasked.toNanos();
	}

	private long until(Waiter waiter, long now) {
		long waitUntil = waiter.waitUntil();
		return (now < waitUntil || isAnswered(waiter)) ? waitUntil
				: this.services.waitLimit().until(waiter, this.contender.askedAt(), now);
	}

	private boolean isAnswered(Waiter waiter) {
		return waiter.answered() || lease() != null || this.contender.isKnownBusy(waiter.since());
	}

	/**
	 * End a wait. What the store said last counts, except that a key that it called busy
	 * counts as busy although it failed since: its holder may still be there, and a
	 * caller that goes on without its lock if the store fails must not run beside it.
	 */
	private void end(Waiter waiter, long now) {
		LockStoreException failure = this.contender.failure();
		if (isAnswered(waiter)) {
			waiter.busy(busyKey(waiter));
		}
		else if (failure != null) {
			waiter.fail(failure);
		}
		else {
			waiter.fail(this.services.store().noAnswer(this.key, now - waiter.since()));
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

	private void take(Waiter waiter) {
		this.waiters.remove(waiter);
		tellLater(waiter);
	}

	private CompletableFuture<Boolean> giveBack(Ownership ownership, @Nullable DefaultLease lease) {
		boolean requeue = !this.waiters.isEmpty();
		if (requeue) {
			this.contender.requeued(ownership);
		}
		CompletableFuture<Boolean> outcome = this.current.giveBack(ownership, lease, requeue);
		retireIfIdle();
		return outcome;
	}

	/**
	 * Nobody has the key for the rest of the minimum hold, and nobody signals its end.
	 */
	private CompletableFuture<Boolean> keepForMinHold(DefaultLease lease, Duration rest) {
		CompletableFuture<Boolean> outcome = this.current.keepForMinHold(lease, rest);
		if (!this.waiters.isEmpty()) {
			this.contender.await(rest);
		}
		retireIfIdle();
		return outcome;
	}

	private void leaveIfNobodyWaits() {
		if (this.waiters.isEmpty() && this.contender.isWaiting()) {
			askOrLeave();
		}
	}

	/**
	 * Say what is known of the key, without asking the store: of a holder elsewhere, for
	 * how long it was seen. Called under the mutex.
	 */
	BusyKey busyKey(Waiter waiter) {
		int others = this.waiters.size() - (waiter.linked ? 1 : 0);
		DefaultLease lease = lease();
		if (lease != null) {
			return new BusyKey(lease.ownerId(), lease, lease.since(), others);
		}
		return new BusyKey(this.contender.holder(), null, this.contender.holderSince(), others);
	}

}
