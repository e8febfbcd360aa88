// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockStoreException;
import io.lockstarter.platform.Ticker;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Queueing;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a key in this JVM. An answer of the store, a release and whatever else
 * happens to a {@link LocalQueue} change its state; what follows from the state is
 * decided here, for all of them, at the end of the transition ({@link #settle}). Guarded
 * by the mutex of the queue.
 */
final class KeyMoves {

	private static final Log logger = LogFactory.getLog(KeyMoves.class);

	private static final CompletableFuture<Boolean> HELD = CompletableFuture.completedFuture(true);

	private final Lessor queue;

	private final Services services;

	private final Waiters waiters;

	private final Contender contender;

	private final CurrentLeases current;

	/**
	 * What the store has for this instance and nobody here uses, up to the end of the
	 * transition: then settle decides what becomes of it.
	 */
	private @Nullable Ownership spare;

	/**
	 * Whether the lease that ended last was held up to now.
	 */
	private CompletableFuture<Boolean> outcome = HELD;

	private boolean retired;

	KeyMoves(Lessor queue, Services services, Waiters waiters, Contender contender, CurrentLeases current) {
		this.queue = queue;
		this.services = services;
		this.waiters = waiters;
		this.contender = contender;
		this.current = current;
	}

	/**
	 * Return whether the key was of no use here at the end of a transition: then it stays
	 * so.
	 */
	boolean isRetired() {
		return this.retired;
	}

	// The decision

	/**
	 * Do what follows from the state. If that cannot be done, as the JVM has no memory
	 * for it, nobody waits for it any more: the next one who comes tries again.
	 */
	void settle() {
		try {
			next();
		}
		catch (RuntimeException | Error ex) {
			this.waiters.failAll(this.services.store().failure(this.queue.key(), ex));
			next();
		}
	}

	/**
	 * A store that answers at once changes the state meanwhile.
	 */
	private void next() {
		while (!this.retired && !this.current.isAlone() && !this.contender.isAsking()) {
			Waiter head = this.waiters.first();
			Ownership ownership = this.spare;
			if (ownership != null) {
				this.spare = null;
				use(ownership, head);
			}
			else if (head == null) {
				boolean used = !this.current.isEmpty();
				try {
					this.contender.leave();
				}
				finally {
					if (!used) {
						this.retired = true;
						this.services.host().retired(this.queue);
					}
				}
				if (used) {
					return;
				}
			}
			else if (this.contender.isWaitingFor(head.terms())) {
				return;
			}
			else {
				ask(head, null, false);
			}
		}
	}

	/**
	 * Decide what becomes of what nobody here uses. The head is granted a lease of it. If
	 * that needs more than is left, it is acquired again first, by the same owner id. It
	 * is released if nobody waits, or if others come first; and if the head asks for
	 * another ttl, or a lease was extended, as a renewal under way could set the old ttl
	 * again: then the head is asked for right behind that.
	 */
	private void use(Ownership ownership, @Nullable Waiter head) {
		// acquired just now
		boolean fresh = ownership.usedTokens() == 0;
		boolean yields = !fresh && this.current.mustYield();
		try {
			if (head == null || yields || !ownership.fits(head.terms())) {
				this.outcome = releaseKey(ownership, head != null && yields && !ownership.isToBeShared());
			}
			else if (fresh ? ownership.isGood(now()) : covers(ownership, head)) {
				ownership.handedOn();
				grantTo(head, ownership, !fresh);
				this.waiters.timeOutOverdueIfAny();
				if (!this.waiters.isEmpty()) {
					this.services.host().listen();
				}
			}
			else {
				ownership.handedOn();
				ask(head, ownership, false);
			}
		}
		catch (RuntimeException | Error ex) {
			giveBackUnused(ownership.ownerId(), ownership.longestTtl());
			throw ex;
		}
	}

	private boolean covers(Ownership ownership, Waiter waiter) {
		long now = now();
		return ownership.covers(waiter.terms(), now) && !this.current.isToBeAsked(ownership, now);
	}

	private void ask(Waiter head, @Nullable Ownership prolonged, boolean again) {
		boolean mayWait = this.waiters.hasTime(now());
		boolean behind = this.current.takeBehind();
		AcquireAttempt attempt = this.contender.ask(head.terms(), mayWait, behind, prolonged, again);
		try {
			Completions.on(this.services.store().acquire(attempt.command()),
					(reply, failure) -> this.queue.locked(() -> answered(attempt, reply, failure, null)));
		}
		catch (RuntimeException | Error ex) {
			answered(attempt, null, ex, null);
		}
	}

	// What came of an attempt

	/**
	 * Act on the answer to an attempt. If that fails, so does the attempt.
	 * @param one who asked for other keys along with this one
	 */
	void answered(AcquireAttempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure,
			@Nullable Waiter one) {
		try {
			act(attempt, this.contender.answered(attempt, reply, failure), one);
		}
		catch (RuntimeException | Error ex) {
			try {
				giveBackUnused(attempt.command().ownerId(), attempt.command().ttl());
			}
			finally {
				this.waiters.failAll(this.services.store().failure(this.queue.key(), ex));
			}
			throw ex;
		}
	}

	private void act(AcquireAttempt attempt, Contender.@Nullable Answer answer, @Nullable Waiter one) {
		Ownership passedOn = attempt.passedOn();
		if (answer instanceof Contender.Granted granted) {
			granted(granted);
		}
		else if (answer instanceof Contender.Late late) {
			late(attempt, late.ownership());
		}
		else if (answer instanceof Contender.Busy busy) {
			if (passedOn != null) {
				this.current.gone(passedOn, attempt.sentAt());
			}
			busy(attempt, busy.remaining());
		}
		else if (answer instanceof Contender.Failed failed) {
			if (passedOn != null) {
				var unused = this.current.unconfirmed(passedOn, failed.failure());
			}
			failed(failed, one);
		}
	}

	void granted(Contender.Granted granted) {
		Ownership ownership = granted.ownership();
		if (granted.contended()) {
			this.current.yieldWithinSlice();
		}
		if (!ownership.isShared()) {
			this.spare = ownership;
			return;
		}
		if (!granted.contended()) {
			this.current.uncontended(ownership.askedAt());
		}
		letIn(ownership);
		if (!ownership.isLeased()) {
			var unused = releaseKey(ownership, false);
		}
	}

	/**
	 * Grant a lease to all who wait to share the key, wherever they stand: those who want
	 * it alone come next.
	 */
	private void letIn(Ownership ownership) {
		Waiter next;
		for (Waiter waiter = this.waiters.first(); waiter != null; waiter = next) {
			next = waiter.next;
			if (ownership.fits(waiter.terms()) && ownership.isGood(now())
					&& (!ownership.isLeased() || ownership.admits(waiter.terms(), now()))) {
				grantShared(ownership, waiter);
			}
		}
		this.waiters.timeOutOverdueIfAny();
	}

	void grantShared(Ownership ownership, Waiter waiter) {
		grantTo(waiter, ownership, ownership.isLeased());
	}

	/**
	 * Grant a lease to a waiter, which leaves the queue with that.
	 */
	private void grantTo(Waiter waiter, Ownership ownership, boolean handedOn) {
		this.waiters.remove(waiter);
		try {
			this.current.grant(ownership, waiter, handedOn);
		}
		catch (RuntimeException | Error ex) {
			// Who has a lease already is to release it.
			if (!waiter.isDecided()) {
				waiter.fail(this.services.store().failure(this.queue.key(), ex));
			}
			throw ex;
		}
		finally {
			this.waiters.decided(waiter);
		}
	}

	/**
	 * Ask again for what was granted, as the answer came after its deadline. Twice in a
	 * row would mean that the ttl is too short for this store.
	 */
	private void late(AcquireAttempt attempt, Ownership ownership) {
		Waiter head = this.waiters.first();
		if (head != null && !attempt.again() && this.waiters.hasTimeFor(head, ownership)) {
			ask(head, ownership, true);
		}
		else {
			failed(this.contender.tooLate(attempt), null);
		}
	}

	/**
	 * Answer those who cannot wait, and wait with the others, unless it is to be asked
	 * again at once: a signal came meanwhile, or could not be sent.
	 */
	private void busy(AcquireAttempt attempt, @Nullable Duration remaining) {
		this.current.forgetContention();
		if (!this.waiters.busyForHeads(this.contender.last().shared())) {
			return;
		}
		this.services.host().listen();
		if (!this.contender.mustAskAgain() && (attempt.command().enqueue() || !this.services.host().isListening())) {
			poll(this.contender.awaitSignal(remaining));
		}
	}

	/**
	 * Answer those who can wait no longer, and wait with the others, unless a signal came
	 * meanwhile. A failure for good is told to all who wait, as each on its own would
	 * only wait for the same failure. But one of several keys may be that of another key:
	 * then it says nothing of this one, and the others ask for it.
	 */
	private void failed(Contender.Failed failed, @Nullable Waiter one) {
		this.current.forgetContention();
		if (one != null) {
			this.waiters.fail(one, failed.failure());
			this.contender.forgetFailure();
			return;
		}
		if (!failed.failure().isTransient()) {
			this.waiters.failAll(failed.failure());
		}
		long once = this.waiters.timeOutOverdue();
		if (!this.contender.mustAskAgain() && !this.waiters.isEmpty()) {
			poll(this.contender.awaitRecovery(once));
		}
	}

	/**
	 * Act after a delay. Whoever waits can be woken, and whoever called goes on, even if
	 * that cannot be scheduled.
	 */
	void poll(long delay) {
		try {
			this.contender
				.timer(this.services.timing().watchdog().schedule(() -> this.queue.locked(this::polled), delay));
		}
		catch (RuntimeException | Error ex) {
			logger.error("The store cannot be polled for now: waiting for a lock is left to signals", ex);
		}
	}

	private void polled() {
		if (this.contender.isWaiting()) {
			if (this.contender.failure() != null) {
				this.waiters.timeOutOverdue();
			}
			this.contender.wakeUp();
		}
	}

	// What becomes of a lease that ends

	/**
	 * Act on the release of a lease: pass its ownership on, release the key at the store,
	 * or keep it there.
	 * @param used whether a holder had the lease, so that its minimum hold counts
	 * @return whether the lease was held up to now, as far as known when it completes
	 */
	CompletableFuture<Boolean> release(DefaultLease lease, boolean used) {
		try {
			if (!this.current.release(lease)) {
				return CompletableFuture.completedFuture(false);
			}
			if (lease.ownership().isShared()) {
				return lease.ownership().isLeased() ? HELD : releaseShared(lease);
			}
			long rest = lease.ownership().isToBeShared() ? 0 : lease.minHoldUntil() - now();
			if (used && rest > 0) {
				return keepForMinHold(lease, Duration.ofNanos(rest));
			}
			this.outcome = HELD;
			this.spare = lease.ownership();
			next();
			return this.outcome;
		}
		catch (RuntimeException | Error ex) {
			this.current.end(lease);
			if (!lease.ownership().isKeptForMinHold()) {
				giveBackUnused(lease.ownerId(), lease.ownership().longestTtl());
			}
			throw ex;
		}
	}

	/**
	 * Release a key at the store, where others may share it still. Whoever waits here is
	 * asked for right behind that, if nobody here shares it any more.
	 */
	private CompletableFuture<Boolean> releaseShared(DefaultLease lease) {
		CompletableFuture<Boolean> outcome = releaseKey(lease.ownership(), false);
		if (this.current.isEmpty()) {
			this.contender.wakeUp();
		}
		return outcome;
	}

	/**
	 * Nobody has the key for the rest of the minimum hold, and nobody signals its end:
	 * who waits elsewhere is told now to ask for it.
	 */
	private CompletableFuture<Boolean> keepForMinHold(DefaultLease lease, Duration rest) {
		CompletableFuture<Boolean> outcome = this.current.keepForMinHold(lease, rest);
		if (!this.waiters.isEmpty()) {
			poll(this.contender.awaitSignal(rest));
		}
		return outcome;
	}

	/**
	 * Release the key at the store.
	 * @param requeue whether to let other instances have it first
	 * @return whether the lease that ended last was held up to now
	 */
	private CompletableFuture<Boolean> releaseKey(Ownership ownership, boolean requeue) {
		Waiter head = requeue ? this.waiters.first() : null;
		Queueing queueing = (head != null) ? this.contender.queueing(head.terms()) : Queueing.NONE;
		if (head != null) {
			poll(this.contender.awaitTurn(ownership));
		}
		long askedAt = now();
		return this.current.releaseKey(ownership, queueing, this.contender.tokens(queueing))
			.handle((held, failure) -> keyReleased(ownership, askedAt, held, failure));
	}

	private boolean keyReleased(Ownership ownership, long askedAt, @Nullable Boolean held,
			@Nullable Throwable failure) {
		if (Boolean.TRUE.equals(held)) {
			return true;
		}
		try {
			this.queue.locked(this::wakeUp);
		}
		finally {
			this.current.notReleased(ownership, askedAt, failure);
		}
		return false;
	}

	/**
	 * Ask now: signals are received from now on, a release was not confirmed, or the
	 * store was reached over a new connection, and the place in the queue of the store
	 * may be gone.
	 */
	void wakeUp() {
		this.current.askNext();
		this.contender.wakeUp();
	}

	/**
	 * Release what an owner id may have at the store, after something failed half-way,
	 * unless it is used here all the same.
	 */
	private void giveBackUnused(String ownerId, Duration ttl) {
		boolean used = this.contender.isAskingBy(ownerId)
				|| this.current.leases().stream().anyMatch((lease) -> lease.ownerId().equals(ownerId));
		if (!used) {
			this.services.store().orphans().release(this.queue.key(), ownerId, ttl, true);
		}
	}

	private long now() {
		return this.services.now();
	}

}
