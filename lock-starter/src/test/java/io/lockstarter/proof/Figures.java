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
