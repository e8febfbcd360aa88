// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.scenario;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * When all JVMs of one measurement start, measure and end: instants of
 * {@link System#nanoTime()}, which all processes of a Linux machine share, as it is
 * {@code CLOCK_MONOTONIC} there.
 *
 * @param start when to begin to warm up
 * @param from when to begin to count
 * @param until when to stop
 */
public record Schedule(long start, long from, long until) {

	private static final Duration HEAD_START = Duration.ofMillis(300);

	/**
	 * Plan for the next moments.
	 * @param warmup how long to warm up
	 * @param measure how long to measure
	 * @return the schedule
	 */
	public static Schedule of(Duration warmup, Duration measure) {
		long start = System.nanoTime() + HEAD_START.toNanos();
		long from = start + warmup.toNanos();
		return new Schedule(start, from, from + measure.toNanos());
	}

	/**
	 * Read the line of {@link #toLine()}.
	 * @param line the line
	 * @return the schedule
	 */
	public static Schedule parse(String line) {
		String[] parts = line.split(" ", -1);
		return new Schedule(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
	}

	/**
	 * Return the schedule as one line.
	 * @return the line
	 */
	public String toLine() {
		return "%d %d %d".formatted(this.start, this.from, this.until);
	}

	/**
	 * Return whether the time is over.
	 * @return whether to stop
	 */
	public boolean isOver() {
		return System.nanoTime() - this.until >= 0;
	}

	/**
	 * Return whether something that ended then is to be counted.
	 * @param instant an instant
	 * @return whether it is in the measured time
	 */
	public boolean measures(long instant) {
		return instant - this.from >= 0 && instant - this.until < 0;
	}

	/**
	 * Return how long is measured.
	 * @return the seconds
	 */
	public double seconds() {
		return (this.until - this.from) / 1e9;
	}

	/**
	 * Sleep.
	 * @param instant until when
	 */
	public static void sleepUntil(long instant) {
		for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
