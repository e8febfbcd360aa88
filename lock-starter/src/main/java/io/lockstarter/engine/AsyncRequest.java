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

	void start() {
		LocalQueue joined = this.engine.join(this.waiter.key(), this.waiter);
		this.queue = joined;
		expireAt(joined, this.services.waitLimit().firstLook(this.waiter));
	}

	/**
	 * Give up.
	 * @return whether nothing was decided before
	 */
	boolean giveUp() {
		LocalQueue joined = this.queue;
		boolean first = this.waiter.giveUp();
		if (first) {
			if (joined != null) {
				joined.gaveUp(this.waiter);
			}
			this.services.monitoring().gaveUp(this.waiter);
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
		this.timer = this.services.timing()
			.deadlines()
			.schedule(() -> expireAt(joined, joined.expire(this.waiter)), instant - this.services.now());
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
