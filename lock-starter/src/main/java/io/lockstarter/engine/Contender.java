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
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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
 * Commands for one key are sent under the mutex, as the last step of a transition. That
 * keeps the commands of a key in order, and lets a store answer synchronously. A command
 * for several keys is sent without a mutex: while it is on its way, all of them ask.
 * <p>
 * An instance that receives no signals cannot be woken, but stands in the queue of the
 * store all the same, from its first poll on, so that others see that it waits.
 */
final class Contender {

	private static final Log logger = LogFactory.getLog(Contender.class);

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

	private static final long NEVER_BUSY = -1;

	/**
	 * How many tokens to begin with. They start at the time in microseconds, so a few are
	 * over before the same key can be acquired again. A block that was used up is
	 * followed by one of twice its size, and a turn that needed half of one by one of
	 * half its size: tokens do not run ahead of the clock, and not every turn has to stop
	 * for more of them.
	 */
	private static final int FIRST_TOKENS = 8;

	private static final int MOST_TOKENS = 10_000;

	private final LocalQueue queue;

	private final Services services;

	private final QueueHost host;

	private int tokens = FIRST_TOKENS;

	private long usedTokens;

	private @Nullable AcquireAttempt attempt;

	private boolean waiting;

	private Runnable poll = () -> {
	};

	private @Nullable LockStoreException failure;

	private long pause = FIRST_PAUSE;

	private @Nullable String holder;

	private long holderSince;

	private long busyAt = NEVER_BUSY;

	private boolean queued;

	private boolean askAgain;

	Contender(LocalQueue queue, Services services, QueueHost host) {
		this.queue = queue;
		this.services = services;
		this.host = host;
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
	 * Return the failure of the store, if it gave no other answer since.
	 */
	@Nullable LockStoreException failure() {
		return this.failure;
	}

	/**
	 * Return whether the store said that another holder has the key, and that since the
	 * given instant, or was not asked since.
	 */
	boolean isKnownBusy(long since) {
		return this.busyAt >= since || (this.attempt == null && this.failure == null);
	}

	@Nullable String holder() {
		return this.holder;
	}

	long holderSince() {
		return this.holderSince;
	}

	/**
	 * Ask for the key.
	 * @param mayWait whether somebody waits if the key is busy
	 * @param prolonged what to go on with, by the same owner id; {@code null} to acquire
	 * anew
	 * @param again whether the answer came too late
	 */
	void ask(Duration ttl, boolean mayWait, @Nullable Ownership prolonged, boolean again) {
		boolean enqueue = mayWait && (this.host.isListening() || this.busyAt != NEVER_BUSY);
		this.usedTokens = (prolonged != null) ? this.usedTokens + prolonged.usedTokens() : 0;
		if (prolonged != null) {
			adjustTokens(prolonged);
		}
		AcquireAttempt attempt = attempt(ttl, enqueue, prolonged, again);
		Completions.on(this.services.store().acquire(attempt.command()),
				(reply, failure) -> this.queue.locked(() -> answered(attempt, reply, failure)));
	}

	/**
	 * Ask for the key along with others: somebody else sends the command.
	 */
	AcquireAttempt claim(Duration ttl) {
		this.usedTokens = 0;
		return attempt(ttl, false, null, false);
	}

	/**
	 * End an attempt that the store was not asked for, or did not look at.
	 */
	void withdraw(AcquireAttempt attempt) {
		if (attempt.equals(this.attempt)) {
			this.attempt = null;
		}
	}

	/**
	 * Ask at once if waiting, otherwise after the answer that is under way.
	 */
	void wakeUp() {
		this.askAgain = this.attempt != null;
		if (this.waiting) {
			this.queue.askOrLeave();
		}
	}

	/**
	 * Wait for a signal, up to the poll interval.
	 * @param remaining the remaining ttl of the holder, if known
	 */
	void await(@Nullable Duration remaining) {
		Duration interval = this.services.settings().pollInterval();
		long delay = interval.toNanos();
		if (!this.host.isListening()) {
			delay = Math.min(delay, POLL_WITHOUT_SIGNALS);
		}
		delay -= this.services.timing().random().nextLong(delay / 4);
		if (remaining != null && remaining.compareTo(interval) < 0) {
			delay = Math.min(delay, remaining.toNanos() + AFTER_EXPIRY);
		}
		poll(this::wakeUp, delay);
	}

	/**
	 * Poll more often, as no signals are received any more.
	 */
	void signalsLost() {
		if (this.waiting && this.failure == null) {
			await(null);
		}
	}

	/**
	 * Leave no trace of the key: nobody here waits for it any more.
	 */
	void leave() {
		stopPolling();
		this.failure = null;
		this.pause = FIRST_PAUSE;
		this.busyAt = NEVER_BUSY;
		if (this.queued && this.attempt == null) {
			this.queued = false;
			var unused = this.services.storeQueues().leave(this.queue.key());
		}
	}

	/**
	 * Wait again, as a release put this instance at the end of the queue of the store.
	 * Without signals it stays away for long enough that another instance, which polls,
	 * finds the key free.
	 */
	void requeued(Ownership ownership) {
		reserveFewer(this.usedTokens + ownership.usedTokens());
		this.queued = true;
		this.busyAt = this.queue.now();
		this.holder = null;
		poll(this::wakeUp, Math.min(this.services.settings().pollInterval().toNanos(), NEXT_IN_LINE));
	}

	void answered(AcquireAttempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		if (!attempt.equals(this.attempt)) {
			return;
		}
		this.attempt = null;
		if (reply instanceof Acquired acquired && areTokens(acquired)) {
			this.queued = false;
			this.busyAt = NEVER_BUSY;
			recovered();
			acquired(attempt, acquired);
		}
		else if (reply instanceof Busy busy) {
			recovered();
			busy(attempt, busy);
		}
		else if (failure != null) {
			failed(attempt, this.services.store().failure(this.queue.key(), failure));
		}
		else {
			failed(attempt, this.services.store().noTokens(this.queue.key(), reply));
		}
	}

	private static boolean areTokens(Acquired reply) {
		return reply.firstToken() > 0 && reply.lastToken() >= reply.firstToken();
	}

	private AcquireAttempt attempt(Duration ttl, boolean enqueue, @Nullable Ownership prolonged, boolean again) {
		stopPolling();
		String ownerId = (prolonged != null) ? prolonged.ownerId() : this.services.nextOwnerId();
		boolean queued = this.queued || this.services.storeQueues().mayBeQueued(this.queue.key());
		this.queued |= enqueue;
		long now = this.queue.now();
		AcquireAttempt attempt = new AcquireAttempt(
				new Acquire(this.queue.key(), this.services.instance(), ownerId, ttl, enqueue, this.tokens, queued),
				prolonged != null, again, now, (prolonged != null) ? prolonged.ownerSince() : now);
		this.attempt = attempt;
		this.askAgain = false;
		return attempt;
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

	private void acquired(AcquireAttempt attempt, Acquired reply) {
		Ownership ownership = new Ownership(attempt.command(), this.services.settings().drift(), attempt.sentAt(),
				reply, attempt.ownerSince());
		long now = this.queue.now();
		this.holder = ownership.ownerId();
		this.holderSince = now;
		if (this.services.forcedOwners().contains(ownership.ownerId())) {
			// The news of it overtook the answer.
			releaseOrphan(attempt.command(), false);
			goOn(new LockStoreException(
					"Lock '%s': released by force before the answer came".formatted(this.queue.key()), true, null)
				.withKey(this.queue.key()));
		}
		else if (now < ownership.deadline()) {
			this.queue.acquired(ownership, reply.contended());
		}
		else if (attempt.again() || !this.queue.askAgain(ownership)) {
			releaseOrphan(attempt.command(), false);
			goOn(new LockStoreException("Lock '%s': the answer came after the ttl of %d ms had run out"
				.formatted(this.queue.key(), attempt.command().ttl().toMillis()), true, null)
				.withKey(this.queue.key()));
		}
	}

	private void busy(AcquireAttempt attempt, Busy reply) {
		this.busyAt = this.queue.now();
		if (!Objects.equals(reply.holder(), this.holder)) {
			this.holder = reply.holder();
			this.holderSince = this.busyAt;
		}
		if (reply.remaining() != null && !reply.setBack().isZero()) {
			this.services.clockWarnings().setBack(this.queue.key(), reply.remaining(), reply.setBack());
		}
		if (!this.queue.busy(this.holder)) {
			this.queue.askOrLeave();
			return;
		}
		this.host.listen();
		if (this.askAgain || (this.host.isListening() && !attempt.command().enqueue())) {
			this.queue.askForHead();
		}
		else {
			await(reply.remaining());
		}
	}

	/**
	 * Release what may have been acquired. If the failure may pass, ask again for those
	 * who still wait.
	 */
	private void failed(AcquireAttempt attempt, LockStoreException failure) {
		if (failure.isOutcomeUnknown() || attempt.prolongs()) {
			releaseOrphan(attempt.command(), failure.isOutcomeUnknown());
		}
		goOn(withOutcomesBefore(failure));
	}

	private void releaseOrphan(Acquire command, boolean acquireMayFollow) {
		this.services.store().orphans().release(command.key(), command.ownerId(), command.ttl(), acquireMayFollow);
	}

	/**
	 * Tell those who can wait no longer, and ask again for the others after a while.
	 */
	private void goOn(LockStoreException told) {
		this.failure = told;
		long once = this.queue.failed(told);
		if (this.askAgain || this.queue.hasNoWaiters()) {
			this.queue.askOrLeave();
		}
		else {
			pause(once);
		}
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
	 * Ask again after a while.
	 * @param once the wait limit of those who try once, as they are not looked at in
	 * between
	 */
	private void pause(long once) {
		long delay = this.pause / 2 + this.services.timing().random().nextLong(this.pause / 2);
		this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
		poll(this::resume, Math.min(delay, once - this.queue.now()));
	}

	private void resume() {
		if (this.waiting) {
			this.queue.endOverdue();
			this.queue.askOrLeave();
		}
	}

	private void recovered() {
		this.failure = null;
		this.pause = FIRST_PAUSE;
	}

	/**
	 * Wait, and act after the delay. Whoever waits can be woken, and whoever called goes
	 * on, even if the action cannot be scheduled.
	 */
	private void poll(Runnable action, long delay) {
		stopPolling();
		this.waiting = true;
		try {
			this.poll = this.services.timing().watchdog().schedule(() -> this.queue.locked(action), delay);
		}
		catch (RuntimeException | Error ex) {
			logger.error("The store cannot be polled for now: waiting for a lock is left to signals", ex);
		}
	}

	private void stopPolling() {
		if (this.waiting) {
			this.waiting = false;
			this.poll.run();
		}
	}

	/**
	 * A command to acquire.
	 *
	 * @param prolongs whether its owner id may have the key already
	 * @param again whether the answer to the one before came too late
	 * @param ownerSince when the first command of its owner id was sent
	 */
	record AcquireAttempt(Acquire command, boolean prolongs, boolean again, long sentAt, long ownerSince) {

	}

}
