// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.text;

import java.time.Duration;

/**
 * Formats durations for messages as people write them: {@code 10 ms} or {@code 365 days}.
 */
public final class DurationText {

	private static final long[] NANOS = { 86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L,
			1_000_000L, 1_000L };

	private static final String[] UNITS = { "days", "h", "min", "s", "ms", "µs" };

	private DurationText() {
	}

	/**
	 * Return a duration as text, in the largest unit that leaves no fraction.
	 * @param duration the duration
	 * @return the number and its unit
	 */
	public static String of(Duration duration) {
		if (duration.isZero()) {
			return "0 ms";
		}
		long nanos;
		try {
			nanos = duration.toNanos();
		}
		catch (ArithmeticException ex) {
			return duration.toDays() + " days";
		}
		for (int i = 0; i < NANOS.length; i++) {
			if (nanos % NANOS[i] == 0) {
				long number = nanos / NANOS[i];
				return number + " " + ((i == 0 && number == 1) ? "day" : UNITS[i]);
			}
		}
		return nanos + " ns";
	}

}
