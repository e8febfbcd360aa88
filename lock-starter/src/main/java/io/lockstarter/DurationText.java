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
package io.lockstarter;

import java.time.Duration;

/**
 * Formats durations for messages as people write them: {@code 10 ms} or {@code 365 days}.
 * <p>
 * Not for applications: it is public for the other packages of the starter, and may
 * change or go away with any version.
 *
 * @since 0.1
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
