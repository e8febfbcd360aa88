// SPDX-License-Identifier: Apache-2.0
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

	// no count begins with fewer, so that a number of a signal is not used twice
	private long floor;

	SignalCounts(int nodes) {
		this.nodes = nodes;
	}

	/**
	 * Note that a node said it.
	 * @param enough how many nodes have to say it
	 * @return whether it is to be told now
	 */
	synchronized boolean isDue(String said, int node, int enough) {
		Count count = this.counts.computeIfAbsent(said, (same) -> new Count(this.nodes, this.floor));
		count.heard[node]++;
		boolean due = count.tell(enough);
		removeIfEven(said, count);
		return due;
	}

	/**
	 * Return the number of what a node said last; zero if all nodes said so, and it was
	 * told.
	 */
	synchronized long number(String said, int node) {
		Count count = this.counts.get(said);
		return (count != null) ? count.heard[node] : 0;
	}

	/**
	 * Return whether a signal is to be told although not enough nodes gave it, and was
	 * not since. The others are taken to have given it, too: they would lag behind for
	 * ever.
	 * @param number that of the signal
	 */
	synchronized boolean isDueAllTheSame(String said, long number) {
		Count count = this.counts.get(said);
		if (count == null) {
			return false;
		}
		boolean due = count.settle(number);
		removeIfEven(said, count);
		return due;
	}

	private void removeIfEven(String said, Count count) {
		if (count.isEven()) {
			this.floor = Math.max(this.floor, count.told);
			this.counts.remove(said);
		}
	}

	/**
	 * How often each node said it, and how often it was told.
	 */
	private static final class Count {

		private final long[] heard;

		private long told;

		Count(int nodes, long floor) {
			this.heard = new long[nodes];
			Arrays.fill(this.heard, floor);
			this.told = floor;
		}

		boolean tell(int enough) {
			long[] sorted = this.heard.clone();
			Arrays.sort(sorted);
			boolean due = sorted[sorted.length - enough] > this.told;
			this.told += due ? 1 : 0;
			// What a node that was away did not say is not waited for when it is back.
			for (int node = 0; node < this.heard.length; node++) {
				this.heard[node] = Math.max(this.heard[node], this.told - 1);
			}
			return due;
		}

		boolean settle(long number) {
			for (int node = 0; node < this.heard.length; node++) {
				this.heard[node] = Math.max(this.heard[node], number);
			}
			boolean due = this.told < number;
			this.told = Math.max(this.told, number);
			return due;
		}

		boolean isEven() {
			return Arrays.stream(this.heard).allMatch((count) -> count == this.told);
		}

	}

}
