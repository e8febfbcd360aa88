// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

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

	/**
	 * Return this deadline, or another one if that is earlier.
	 */
	Deadline orEarlier(@Nullable Deadline other) {
		return (other != null && other.end - this.end < 0) ? other : this;
	}

	boolean isOver() {
		return this.end - this.ticker.nanoTime() <= 0;
	}

	Duration left() {
		Duration left = Duration.ofNanos(this.end - this.ticker.nanoTime());
		return (left.compareTo(LEAST) < 0) ? LEAST : left;
	}

}
