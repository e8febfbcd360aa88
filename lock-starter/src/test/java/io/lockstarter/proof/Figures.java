// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Durations that were measured, in order.
 */
final class Figures {

	private final List<Duration> sorted;

	Figures(Collection<Duration> measured) {
		this.sorted = new ArrayList<>(measured);
		this.sorted.sort(null);
	}

	int count() {
		return this.sorted.size();
	}

	/**
	 * Return what so many of a hundred do not exceed.
	 * @param percent from 1 to 100
	 * @return one of the durations
	 */
	Duration percentile(int percent) {
		return this.sorted.get((int) Math.ceil(percent * this.sorted.size() / 100.0) - 1);
	}

	Duration max() {
		return percentile(100);
	}

	/**
	 * Return how many did not exceed a bound.
	 * @param bound the bound
	 * @return from 0 to 1
	 */
	double shareWithin(Duration bound) {
		return (double) this.sorted.stream().filter((duration) -> duration.compareTo(bound) <= 0).count() / count();
	}

	@Override
	public String toString() {
		return "%,d times: p50 %s, p99 %s, max %s ms".formatted(count(), millis(percentile(50)), millis(percentile(99)),
				millis(max()));
	}

	private static String millis(Duration duration) {
		return "%.1f".formatted(duration.toNanos() / 1e6);
	}

}
