package io.lockstarter.engine;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * An acquirer without a thread: a timer ends its wait.
 */
final class AsyncRequest {

	private final LockEngine engine;

	private final Waiter waiter;

	private final Consumer<Waiter> whenDecided;

	private @Nullable LocalQueue queue;

	private volatile @Nullable Runnable timer;

	AsyncRequest(LockEngine engine, String key, Terms terms, long since, Consumer<Waiter> whenDecided) {
		this.engine = engine;
		this.whenDecided = whenDecided;
		this.waiter = Waiter.calling(key, terms, since, this::decided);
	}

	void start() {
		LocalQueue joined = this.engine.join(this.waiter.key(), this.waiter);
		this.queue = joined;
		expireAt(joined, this.engine.waitLimit().firstLook(this.waiter));
	}

	/**
	 * Give up.
	 * @return whether nothing was decided before
	 */
	boolean abandon() {
		LocalQueue joined = this.queue;
		boolean first = this.waiter.giveUp();
		if (first && joined != null) {
			joined.abandon(this.waiter);
		}
		stopTimer();
		return first;
	}

	private void decided() {
		stopTimer();
		this.whenDecided.accept(this.waiter);
	}

	private void expireAt(LocalQueue joined, long instant) {
		if (instant == Ticker.NEVER || this.waiter.isDecided()) {
			return;
		}
		this.timer = this.engine.timing()
			.deadlines()
			.schedule(() -> expireAt(joined, joined.expire(this.waiter)), instant - this.engine.timing().now());
		if (this.waiter.isDecided()) {
			stopTimer();
		}
	}

	private void stopTimer() {
		Runnable cancellation = this.timer;
		if (cancellation != null) {
			cancellation.run();
		}
	}

}
