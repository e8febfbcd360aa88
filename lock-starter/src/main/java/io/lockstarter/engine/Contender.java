package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockStoreException;
import io.lockstarter.engine.LockStore.AcquireReply;
import io.lockstarter.engine.LockStore.Acquired;
import io.lockstarter.engine.LockStore.Busy;
import org.jspecify.annotations.Nullable;

/**
 * This JVM as one contender for a key at the store, on behalf of the head of its
 * {@link LocalQueue} and guarded by its mutex. It is
 * <ul>
 * <li><em>asking</em> ({@code attempt}): an acquire command is in flight;
 * <li><em>waiting</em> ({@code poll}): another instance has the key, and a signal or the
 * poll timer asks again; or
 * <li><em>idle</em>: neither.
 * </ul>
 * Commands are sent under the mutex, as the last step of a transition. That keeps the
 * commands of a key in order, and lets a store answer synchronously.
 */
final class Contender {

	/**
	 * How often to ask while no signals are received.
	 */
	private static final long DEAF_POLL = TimeUnit.MILLISECONDS.toNanos(200);

	/**
	 * An expired key is gone for sure one clock tick of the store later.
	 */
	private static final long AFTER_EXPIRY = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * How long the next in line may take, before it is worth asking whether it has come.
	 * Longer than a store reserves a key.
	 */
	private static final Duration NEXT_IN_LINE = Duration.ofMillis(300);

	/**
	 * How many tokens to begin with. They start at the time in microseconds, so a few are
	 * over before the same key can be acquired again. A block that was used up is
	 * followed by one of twice its size, and a turn that needed half of one by one of
	 * half its size: tokens do not run ahead of the clock, and not every turn has to stop
	 * for more of them.
	 */
	private static final int FIRST_TOKENS = 32;

	private static final int MOST_TOKENS = 10_000;

	private final LocalQueue queue;

	private final LocalQueues engine;

	private int tokens = FIRST_TOKENS;

	private long usedTokens;

	private @Nullable Attempt attempt;

	private @Nullable Runnable poll;

	private @Nullable String holder;

	private boolean enqueued;

	private boolean askAgain;

	Contender(LocalQueue queue, LocalQueues engine) {
		this.queue = queue;
		this.engine = engine;
	}

	boolean isAsking() {
		return this.attempt != null;
	}

	/**
	 * Return when the command that is in flight was sent.
	 */
	long askedAt() {
		return (this.attempt != null) ? this.attempt.sentAt() : Ticker.NEVER;
	}

	boolean isWaiting() {
		return this.poll != null;
	}

	/**
	 * Return who held the key when the store was last asked.
	 */
	@Nullable String holder() {
		return this.holder;
	}

	/**
	 * Ask for the key.
	 * @param ttl for how long
	 * @param mayWait whether somebody waits if the key is busy
	 * @param prolonged the hold to go on with, by the same owner id; {@code null} to
	 * acquire anew
	 */
	void ask(Duration ttl, boolean mayWait, @Nullable Hold prolonged) {
		stopPolling();
		boolean enqueue = mayWait && this.engine.isListening();
		String ownerId = (prolonged != null) ? prolonged.ownerId() : this.engine.nextOwnerId();
		Attempt attempt = new Attempt(ownerId, ttl, enqueue, prolonged != null, this.queue.now());
		this.attempt = attempt;
		this.askAgain = false;
		this.enqueued |= enqueue;
		this.usedTokens = (prolonged != null) ? this.usedTokens + prolonged.usedTokens() : 0;
		if (prolonged != null && prolonged.isUsedUp()) {
			this.tokens = Math.min(2 * this.tokens, MOST_TOKENS);
		}
		Completions.on(this.engine.store().acquire(this.queue.key(), ownerId, ttl, enqueue, this.tokens),
				(reply, failure) -> this.queue.locked(() -> answered(attempt, reply, failure)));
	}

	/**
	 * Something changed that makes it worth asking: at once if waiting, otherwise after
	 * the answer that is under way.
	 */
	void nudge() {
		this.askAgain = this.attempt != null;
		if (this.poll != null) {
			this.queue.askForHead();
		}
	}

	/**
	 * Wait for a signal, and not longer than the poll interval.
	 * @param remaining the remaining ttl of the holder, if known
	 */
	void await(@Nullable Duration remaining) {
		stopPolling();
		Duration interval = this.engine.settings().pollInterval();
		long delay = interval.toNanos();
		if (!this.engine.isListening()) {
			delay = Math.min(delay, DEAF_POLL);
		}
		if (remaining != null && remaining.compareTo(interval) < 0) {
			delay = Math.min(delay, remaining.toNanos() + AFTER_EXPIRY);
		}
		this.poll = this.engine.timing().watchdog().schedule(() -> this.queue.locked(this::nudge), delay);
	}

	/**
	 * No signals are received any more: poll more often.
	 */
	void deafened() {
		if (this.poll != null) {
			await(null);
		}
	}

	/**
	 * Nobody here waits for the key any more: leave no trace of it.
	 */
	void leave() {
		stopPolling();
		if (this.enqueued && this.attempt == null) {
			this.enqueued = false;
			var unused = this.engine.store().leave(this.queue.key());
		}
	}

	/**
	 * Release a hold and stand in the queue again in the same step.
	 */
	void requeued(Hold hold) {
		if (this.usedTokens + hold.usedTokens() <= this.tokens / 2) {
			this.tokens = Math.max(FIRST_TOKENS, this.tokens / 2);
		}
		this.enqueued = true;
		await(NEXT_IN_LINE);
	}

	private void answered(Attempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		this.attempt = null;
		if (reply instanceof Acquired acquired) {
			this.enqueued = false;
			acquired(attempt, acquired);
		}
		else if (reply instanceof Busy busy) {
			busy(attempt, busy);
		}
		else if (failure != null) {
			failed(attempt, this.engine.store().failure(this.queue.key(), failure));
		}
	}

	private void acquired(Attempt attempt, Acquired reply) {
		Hold hold = new Hold(attempt.ownerId(), attempt.ttl(), this.engine.settings().drift(), attempt.sentAt(), reply);
		if (this.queue.now() < hold.deadline()) {
			this.queue.acquired(hold, reply.contended() || !this.engine.isListening());
		}
		else if (attempt.prolongs() || !this.queue.askAgain(hold)) {
			this.engine.store().settle(this.queue.key(), attempt.ownerId(), attempt.ttl(), false);
			this.queue.late(new LockStoreException("Lock '%s': the answer came after the ttl of %d ms had run out"
				.formatted(this.queue.key(), attempt.ttl().toMillis()), true, null));
			this.queue.retireIfIdle();
		}
	}

	private void busy(Attempt attempt, Busy reply) {
		this.holder = reply.holder();
		if (reply.remaining() != null && !reply.setBack().isZero()) {
			this.engine.clockSetBack(this.queue.key(), reply.remaining(), reply.setBack());
		}
		if (!this.queue.busy(this.holder)) {
			leave();
			this.queue.retireIfIdle();
			return;
		}
		this.engine.listen();
		if (this.askAgain || (this.engine.isListening() && !attempt.enqueue())) {
			this.queue.askForHead();
		}
		else {
			await(reply.remaining());
		}
	}

	private void failed(Attempt attempt, LockStoreException failure) {
		this.queue.failed(failure);
		if (failure.isOutcomeUnknown() || attempt.prolongs()) {
			this.engine.store().settle(this.queue.key(), attempt.ownerId(), attempt.ttl(), failure.isOutcomeUnknown());
		}
		leave();
		this.queue.retireIfIdle();
	}

	private void stopPolling() {
		if (this.poll != null) {
			this.poll.run();
			this.poll = null;
		}
	}

	/**
	 * An acquire command in flight.
	 */
	private record Attempt(String ownerId, Duration ttl, boolean enqueue, boolean prolongs, long sentAt) {

	}

}
