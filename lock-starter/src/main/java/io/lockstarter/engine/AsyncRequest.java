// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.function.Consumer;

import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * An acquirer without a thread: a timer ends its wait.
 */
final class AsyncRequest {

	private final LockEngine engine;

	private final Services services;

	private final Waiter waiter;

	private final Consumer<Waiter> whenDecided;

	private @Nullable LocalQueue queue;

	private volatile @Nullable Runnable timer;

	AsyncRequest(LockEngine engine, Waiter.Kind kind, String key, Terms terms, long since,
			Consumer<Waiter> whenDecided) {
		this.engine = engine;
		this.services = engine.services();
		this.whenDecided = whenDecided;
		this.waiter = Waiter.calling(kind, key, terms, since, this::decided);
	}

	String key() {
		return this.waiter.key();
	}

	void start() {
		LocalQueue joined = this.engine.join(this.waiter.key(), this.waiter);
		this.queue = joined;
		expireAt(joined, this.services.waitLimit().firstLook(this.waiter));
	}

	/**
	 * Give up, without effect if the outcome is decided.
	 */
	void giveUp() {
		LocalQueue joined = this.queue;
		if (joined != null && joined.giveUp(this.waiter)) {
			this.services.news().gaveUp(this.waiter);
		}
		stopTimer();
	}

	private void decided() {
		stopTimer();
		this.whenDecided.accept(this.waiter);
	}

	private void expireAt(LocalQueue joined, long instant) {
		if (instant == Ticker.NEVER || this.waiter.isDecided()) {
			return;
		}
		this.timer = this.services.timing().deadlines().schedule(() -> expire(joined), instant - this.services.now());
		if (this.waiter.isDecided()) {
			stopTimer();
		}
	}

	/**
	 * End the wait if its time is over, or if nobody would do so later.
	 */
	private void expire(LocalQueue joined) {
		try {
			expireAt(joined, joined.expire(this.waiter));
		}
		catch (RuntimeException | Error ex) {
			joined.fail(this.waiter, ex);
			throw ex;
		}
	}

	private void stopTimer() {
		Runnable cancellation = this.timer;
		if (cancellation != null) {
			cancellation.run();
		}
	}

}
