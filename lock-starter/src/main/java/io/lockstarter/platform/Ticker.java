// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.platform;

/**
 * The monotonic clock that every deadline is counted by. Starts near zero, so that
 * instants compare and add as plain numbers.
 */
@FunctionalInterface
public interface Ticker {

	/**
	 * An instant that never comes.
	 */
	long NEVER = Long.MAX_VALUE;

	/**
	 * Return the present instant.
	 * @return nanoseconds since some instant in the past
	 */
	long nanoTime();

	/**
	 * Add a delay, not negative; a sum out of range is {@link #NEVER}.
	 * @param instant the instant
	 * @param delay nanoseconds
	 * @return the instant that is so much later
	 */
	static long plus(long instant, long delay) {
		return (delay >= NEVER - instant) ? NEVER : instant + delay;
	}

}
