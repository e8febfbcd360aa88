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
package io.lockstarter.quorum;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts what nodes say, so that what several of them say is told once, each time that
 * they say it. Thread-safe.
 */
final class SignalCounts {

	private static final int MOST = 10_000;

	private final int nodes;

	// the eldest is forgotten
	private final Map<String, Count> counts = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Count> eldest) {
			return size() > MOST;
		}

	};

	SignalCounts(int nodes) {
		this.nodes = nodes;
	}

	/**
	 * Note that a node said it.
	 * @param enough how many nodes have to say it
	 * @return whether it is to be told now
	 */
	synchronized boolean isDue(String said, int node, int enough) {
		Count count = this.counts.computeIfAbsent(said, (same) -> new Count(this.nodes));
		count.heard[node]++;
		boolean due = count.tell(enough);
		if (count.isEven()) {
			this.counts.remove(said);
		}
		return due;
	}

	/**
	 * Return whether it is to be told although not enough nodes said it, and was not
	 * since.
	 */
	synchronized boolean isDueAllTheSame(String said) {
		Count count = this.counts.get(said);
		return count != null && count.tell(1);
	}

	synchronized int size() {
		return this.counts.size();
	}

	/**
	 * How often each node said it, and how often it was told.
	 */
	private static final class Count {

		private final int[] heard;

		private int told;

		Count(int nodes) {
			this.heard = new int[nodes];
		}

		boolean tell(int enough) {
			int[] sorted = this.heard.clone();
			Arrays.sort(sorted);
			boolean due = sorted[sorted.length - enough] > this.told;
			this.told += due ? 1 : 0;
			return due;
		}

		boolean isEven() {
			return Arrays.stream(this.heard).allMatch((count) -> count == this.told);
		}

	}

}
