// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * This JVM as one contender for a key at the store, on behalf of the head of its
 * {@link LocalQueue} and guarded by its mutex. It is
 * <ul>
 * <li><em>asking</em> ({@code attempt}): an acquire command is in flight, or about to be
 * sent for several keys at once;
 * <li><em>waiting</em> ({@code waiting}): another instance has the key, and a signal or
 * the poll timer asks again; or the store failed ({@code failure}) and is asked again
 * after a pause; or
 * <li><em>idle</em>: neither.
 * </ul>
 * It decides what to ask and what an answer means; the queue sends the commands, sets the
 * timer and acts on the answers.
 * <p>
 * An instance that receives no signals cannot be woken, but stands in the queue of the
 * store all the same, from its first poll on, so that others see that it waits.
 */
final class Contender {

	/**
	 * How often to ask while no signals are received.
	 */
	private static final long POLL_WITHOUT_SIGNALS = TimeUnit.MILLISECONDS.toNanos(200);

	/**
	 * An expired key is gone for sure one clock tick of the store later.
	 */
	private static final long AFTER_EXPIRY = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * How long the next in line may take, before it is worth asking whether it has come.
	 * Longer than a store reserves a key, and than the poll of whoever gets no signals.
	 */
	private static final long NEXT_IN_LINE = TimeUnit.MILLISECONDS.toNanos(300);

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

	/**
	 * A grant is used if it was made within this part of its term: so a lease begins with
	 * most of it. Whoever has waited for longer can afford a round trip.
	 */
	private static final int GRANTED_WITHIN = 8;

	/**
	 * How many tokens to begin with. They start at the time in microseconds, so a few are
	 * over before the same key can be acquired again. A block that was used up is
	 * followed by one of twice its size, and a turn that needed half of one by one of
	 * half its size: tokens do not run ahead of the clock, and not every turn has to stop
	 * for more of them.
	 */
	private static final int FIRST_TOKENS = 8;

	private static final int MOST_TOKENS = 10_000;

	private final String key;

	private final Services services;

	private int tokens = FIRST_TOKENS;

	private long usedTokens;

	private @Nullable AcquireAttempt attempt;

	private boolean waiting;

	private @Nullable Runnable timer;

	private @Nullable LockStoreException failure;

	private long pause = FIRST_PAUSE;

	private LastAnswer last = LastAnswer.NONE;

	private boolean queued;

	private boolean askAgain;

	private final ExpectedGrant expected = new ExpectedGrant();

	Contender(String key, Services services) {
		this.key = key;
		this.services = services;
	}

	boolean isAsking() {
		return this.attempt != null;
	}

	/**
	 * Return when the command that is in flight was sent; {@link Ticker#NEVER} if there
	 * is none.
	 */
	long askedAt() {
		return (this.attempt != null) ? this.attempt.sentAt() : Ticker.NEVER;
	}

	boolean isWaiting() {
		return this.waiting;
	}

	/**
	 * Return whether it waits on behalf of such an acquirer. One who would share the key
	 * may have it where another, who was first up to now, could not; and the other way
	 * round, those who would share it must know that somebody waits for it alone.
	 */
	boolean isWaitingFor(Terms terms) {
		return this.waiting && (this.failure != null || terms.shared() == this.last.shared());
	}

	/**
	 * Return the failure of the store, if it gave no other answer since.
	 */
	@Nullable LockStoreException failure() {
		return this.failure;
	}

	/**
	 * Return what the store said last of who has the key.
	 */
	LastAnswer last() {
		return this.last;
	}

	/**
	 * Return whether to ask once more after an answer: a signal came in between.
	 */
	boolean mustAskAgain() {
		return this.askAgain;
	}

	/**
	 * Ask for the key: the command is to be sent at once.
	 * @param mayWait whether somebody waits if the key is busy
	 * @param behind whether to ask like one who stands in the queue of the store already:
	 * others are known to do, and come first if nobody passed the key on to them
	 * @param prolonged what to go on with, by the same owner id; {@code null} to acquire
	 * anew
	 * @param again whether the answer came too late
	 */
	AcquireAttempt ask(Terms terms, boolean mayWait, boolean behind, @Nullable Ownership prolonged, boolean again) {
		boolean enqueue = mayWait && (this.services.host().isListening() || this.last.isBusy());
		Queueing queueing = enqueue ? queueing(terms) : Queueing.NONE;
		this.usedTokens = (prolonged != null) ? this.usedTokens + prolonged.usedTokens() : 0;
		if (prolonged != null) {
			adjustTokens(prolonged);
		}
		return attempt(terms, queueing, behind, prolonged, again);
	}

	/**
	 * Return how to wait in the queue of the store.
	 */
	Queueing queueing(Terms terms) {
		boolean grantable = this.services.host().isListening() && terms.maybeGranted(this.services.grantTerm());
		return grantable ? Queueing.GRANTED : Queueing.RESERVED;
	}

	/**
	 * Return how many tokens to be granted at the end of that wait.
	 */
	int tokens(Queueing queueing) {
		return (queueing == Queueing.GRANTED) ? this.tokens : 1;
	}

	/**
	 * Ask for the key along with others: somebody else sends the command.
	 */
	AcquireAttempt claim(Terms terms) {
		this.usedTokens = 0;
		return attempt(terms, Queueing.NONE, false, null, false);
	}

	/**
	 * Forget an attempt that the store was not asked for, or did not look at.
	 */
	void cancel(AcquireAttempt attempt) {
		if (isCurrent(attempt)) {
			this.attempt = null;
		}
	}

	/**
	 * Wait no longer. If a command is in flight, its answer may be older than the reason
	 * to ask.
	 */
	void wakeUp() {
		this.askAgain = this.attempt != null;
		stopWaiting();
	}

	/**
	 * Wait for a signal, up to the poll interval.
	 * @param remaining the remaining ttl of the holder, if known
	 * @return after how long to ask in any case, in nanoseconds
	 */
	long awaitSignal(@Nullable Duration remaining) {
		Duration interval = this.services.settings().pollInterval();
		long delay = interval.toNanos();
		if (!this.services.host().isListening()) {
			delay = Math.min(delay, POLL_WITHOUT_SIGNALS);
		}
		delay -= this.services.timing().random().nextLong(delay / 4);
		if (remaining != null && remaining.compareTo(interval) < 0) {
			delay = Math.min(delay, remaining.toNanos() + AFTER_EXPIRY);
		}
		return waitFor(delay);
	}

	/**
	 * Wait again, as a release put this instance at the end of the queue of the store.
	 * Without signals it stays away for long enough that another instance, which polls,
	 * finds the key free.
	 * @return after how long to ask in any case, in nanoseconds
	 */
	long awaitTurn(Ownership ownership) {
		reserveFewer(this.usedTokens + ownership.usedTokens());
		this.queued = true;
		long now = this.services.now();
		this.last = this.last.busy(now, this.last.shared(), null);
		// up to its deadline the key was ours
		this.expected.after(Math.min(now, ownership.deadline()), ownership.lastToken() + 1);
		return waitFor(Math.min(this.services.settings().pollInterval().toNanos(), NEXT_IN_LINE));
	}

	/**
	 * Take the key, which a release elsewhere granted to this instance, or ask for it by
	 * the owner id that it was granted to.
	 * @param grant what came with it, which is not {@linkplain #isOld old}
	 * @return what can be used at once; {@code null} if the store is asked first, as it
	 * may have been granted a while ago
	 */
	@Nullable Ownership granted(String ownerId, Acquired grant, Terms terms) {
		long now = this.services.now();
		long since = this.expected.earliest();
		boolean usable = this.waiting && this.failure == null && terms.maybeGranted(this.services.grantTerm())
				&& since != Ticker.NEVER && now - since <= this.services.grantTerm().toNanos() / GRANTED_WITHIN;
		if (!usable) {
			keep(ownerId);
			wakeUp();
			return null;
		}
		stopWaiting();
		this.usedTokens = 0;
		Ownership ownership = Ownership.granted(ownerId, terms.ttl(), this.services.grantTerm(),
				this.services.settings().drift(), since, grant, now);
		acquired(ownership, now);
		return ownership;
	}

	/**
	 * Return whether the key is asked for by such an owner id, or is about to be.
	 */
	boolean isAskingBy(String ownerId) {
		return this.expected.isFor(ownerId)
				|| (this.attempt != null && this.attempt.command().ownerId().equals(ownerId));
	}

	/**
	 * Return whether a grant may be over, and its owner id released.
	 */
	boolean isOld(Acquired grant, boolean toldBefore) {
		return this.expected.isOld(grant, toldBefore);
	}

	/**
	 * Note that a grant was told.
	 */
	void told(long token) {
		this.expected.told(token);
	}

	private void keep(String granted) {
		String before = this.expected.keep(granted);
		if (before != null) {
			releaseGrant(before);
		}
	}

	private void releaseGrant(String granted) {
		this.services.store().orphans().release(this.key, granted, this.services.grantTerm(), false);
	}

	/**
	 * Wait until the store may have recovered from its failure.
	 * @param once the wait limit of those who try once, as they are not looked at in
	 * between
	 * @return after how long to ask again, in nanoseconds
	 */
	long awaitRecovery(long once) {
		long delay = this.pause / 2 + this.services.timing().random().nextLong(this.pause / 2);
		this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
		return waitFor(Math.min(delay, once - this.services.now()));
	}

	private long waitFor(long delay) {
		stopWaiting();
		this.waiting = true;
		return delay;
	}

	/**
	 * Note what cancels the timer that ends the wait.
	 */
	void timer(Runnable cancellation) {
		this.timer = cancellation;
	}

	/**
	 * Leave no trace of the key: nobody here waits for it any more.
	 */
	void leave() {
		stopWaiting();
		forgetFailure();
		this.last = LastAnswer.NONE;
		this.expected.end();
		if (this.queued) {
			this.queued = false;
			var unused = this.services.storeQueues().leave(this.key);
		}
		// behind that, or it could be granted to this instance again
		releaseIfGranted();
	}

	/**
	 * Take the answer to an attempt.
	 * @return what came of it; {@code null} if the attempt was forgotten
	 */
	@Nullable Answer answered(AcquireAttempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		if (!isCurrent(attempt)) {
			return null;
		}
		this.attempt = null;
		if (reply instanceof Acquired acquired && areTokens(acquired)) {
			return acquired(attempt, acquired);
		}
		if (reply instanceof LockStore.Busy busy) {
			return busy(attempt, busy);
		}
		return failed(attempt, (failure != null) ? this.services.store().failure(this.key, failure)
				: this.services.store().noTokens(this.key, reply));
	}

	// Not by what it consists of, which is looked at part by part.
	@SuppressWarnings("ReferenceEquality")
	private boolean isCurrent(AcquireAttempt attempt) {
		return attempt == this.attempt;
	}

	private static boolean areTokens(Acquired reply) {
		return reply.firstToken() > 0 && reply.lastToken() >= reply.firstToken();
	}

	private AcquireAttempt attempt(Terms terms, Queueing queueing, boolean behind, @Nullable Ownership prolonged,
			boolean again) {
		stopWaiting();
		this.expected.none();
		if (prolonged != null || terms.shared()) {
			releaseIfGranted();
		}
		String granted = this.expected.take();
		String ownerId = (prolonged != null) ? prolonged.ownerId() : granted;
		boolean known = ownerId != null;
		if (ownerId == null) {
			ownerId = this.services.nextOwnerId();
		}
		boolean queued = this.queued || behind || this.services.storeQueues().mayBeQueued(this.key);
		this.queued |= queueing != Queueing.NONE;
		long now = this.services.now();
		AcquireAttempt attempt = new AcquireAttempt(
				new Acquire(this.key, this.services.instance(), ownerId, terms.ttl(), queueing,
						terms.shared() ? 1 : this.tokens, queued, terms.mode(), prolonged != null && !again),
				prolonged, known, again, now);
		this.attempt = attempt;
		this.askAgain = false;
		return attempt;
	}

	private void releaseIfGranted() {
		String granted = this.expected.take();
		if (granted != null) {
			releaseGrant(granted);
		}
	}

	private void adjustTokens(Ownership prolonged) {
		if (prolonged.isUsedUp()) {
			this.tokens = Math.min(2 * this.tokens, MOST_TOKENS);
		}
		else {
			reserveFewer(prolonged.usedTokens());
		}
	}

	/**
	 * Halve the block, but not as soon as half of it would do: a turn that needs one more
	 * token would stop for it half-way.
	 */
	private void reserveFewer(long used) {
		if (used <= this.tokens / 4) {
			this.tokens = Math.max(FIRST_TOKENS, this.tokens / 2);
		}
	}

	private Answer acquired(AcquireAttempt attempt, Acquired reply) {
		Ownership ownership = new Ownership(attempt.command(), this.services.settings().drift(), attempt.sentAt(),
				reply, attempt.ownerSince());
		this.services.store().granted(this.key);
		long now = this.services.now();
		acquired(ownership, now);
		releaseIfGranted();
		if (this.services.forcedOwners().contains(ownership.ownerId())) {
			// The news of it overtook the answer.
			return refused(attempt, "released by force before the answer came");
		}
		return (now < ownership.deadline()) ? new Granted(ownership, reply.contended()) : new Late(ownership);
	}

	private void acquired(Ownership ownership, long now) {
		this.expected.end();
		this.queued = false;
		forgetFailure();
		this.last = LastAnswer.acquired(ownership.ownerId(), now);
	}

	/**
	 * Release what was acquired too late.
	 */
	Failed tooLate(AcquireAttempt attempt) {
		return refused(attempt,
				"the answer came after the ttl of %d ms had run out".formatted(attempt.command().ttl().toMillis()));
	}

	private Failed refused(AcquireAttempt attempt, String reason) {
		releaseOrphan(attempt.command(), false);
		return failed(
				new LockStoreException("Lock '%s': %s".formatted(this.key, reason), true, null).withKey(this.key));
	}

	/**
	 * Take the answer that somebody has the key. If that is this instance, by a grant
	 * whose message was lost, the key is to be asked for by its owner id. Who did not
	 * receive signals all the time may take a grant to a copy of this process for its
	 * own.
	 */
	private @Nullable Answer busy(AcquireAttempt attempt, LockStore.Busy reply) {
		forgetFailure();
		if (attempt.command().held()) {
			// a store of several servers may have it at some of them
			releaseOrphan(attempt.command(), false);
		}
		long untold = this.expected.untold(reply.holder(), this.services.instance());
		if (untold > 0 && this.services.host().listensSince(this.expected.firstAskedAt())) {
			told(untold);
			this.services.host().usesGrant(this.key, untold);
			keep(Objects.requireNonNull(reply.holder()));
			return null;
		}
		this.last = this.last.busy(this.services.now(), attempt.command().mode() == LockMode.SHARED, reply.holder());
		if (attempt.command().queueing() == Queueing.GRANTED) {
			this.expected.after(attempt.sentAt(), reply.nextToken());
		}
		if (reply.remaining() != null && !reply.setBack().isZero()) {
			this.services.news().clockSetBack(this.key, reply.remaining(), reply.setBack());
		}
		return new Busy(reply.remaining());
	}

	/**
	 * Release what may have been acquired.
	 */
	private Failed failed(AcquireAttempt attempt, LockStoreException failure) {
		if (failure.isOutcomeUnknown() || attempt.prolongs()) {
			releaseOrphan(attempt.command(), failure.isOutcomeUnknown());
		}
		return failed(withOutcomesBefore(failure));
	}

	private Failed failed(LockStoreException told) {
		this.failure = told;
		return new Failed(told);
	}

	private void releaseOrphan(Acquire command, boolean acquireMayFollow) {
		this.services.store().orphans().release(command.key(), command.ownerId(), command.ttl(), acquireMayFollow);
	}

	/**
	 * Return the last failure, for those who wait. But what was sent before it may have
	 * been executed all the same.
	 */
	private LockStoreException withOutcomesBefore(LockStoreException failure) {
		LockStoreException before = this.failure;
		if (before == null || !before.isOutcomeUnknown() || failure.isOutcomeUnknown()) {
			return failure;
		}
		return new LockStoreException(String.valueOf(failure.getMessage()), true, failure.isTransient(),
				failure.isRefusal(), failure.getCause())
			.withKey(failure.key());
	}

	/**
	 * Ask for the key at once when somebody wants it: the store does not fail for it.
	 */
	void forgetFailure() {
		this.failure = null;
		this.pause = FIRST_PAUSE;
	}

	private void stopWaiting() {
		Runnable timer = this.timer;
		this.waiting = false;
		this.timer = null;
		if (timer != null) {
			timer.run();
		}
	}

	/**
	 * What came of an attempt.
	 */
	sealed interface Answer {

	}

	/**
	 * The key was acquired.
	 *
	 * @param contended whether other instances wait for it
	 */
	record Granted(Ownership ownership, boolean contended) implements Answer {

	}

	/**
	 * The key was acquired, but the ttl ran out before the answer came.
	 */
	record Late(Ownership ownership) implements Answer {

	}

	/**
	 * Another instance has the key.
	 *
	 * @param remaining the remaining ttl of the holder, if known
	 */
	record Busy(@Nullable Duration remaining) implements Answer {

	}

	/**
	 * Nobody knows who has the key.
	 *
	 * @param failure what those who can wait no longer are told
	 */
	record Failed(LockStoreException failure) implements Answer {

	}

}
