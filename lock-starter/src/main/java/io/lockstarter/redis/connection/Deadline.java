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
package io.lockstarter.redis.connection;

import java.time.Duration;

import io.lockstarter.platform.Ticker;

/**
 * The end of an attempt to connect, whatever it consists of: each step gets what the ones
 * before have left.
 *
 * @param end in time of the ticker
 */
record Deadline(Ticker ticker, long end) {

	/**
	 * Something is left for each step: to Lettuce, no time is no limit.
	 */
	private static final Duration LEAST = Duration.ofMillis(1);

	static Deadline after(Ticker ticker, Duration limit) {
		return new Deadline(ticker, Ticker.plus(ticker.nanoTime(), limit.toNanos()));
	}

	Duration left() {
		Duration left = Duration.ofNanos(this.end - this.ticker.nanoTime());
		return (left.compareTo(LEAST) < 0) ? LEAST : left;
	}

}
