// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.platform.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Remembers at which nodes commands may be executed out of their order, as their
 * connection was replaced lately. That matters to a renewal if it counts only with one of
 * them: an older one that follows there may undo it.
 */
final class Reordering {

	private static final long LATELY = Duration.ofMinutes(1).toNanos();

	private static final long NEVER = Long.MIN_VALUE;

	private final int majority;

	private final Timer timer;

	// guarded by this
	private final long[] since;

	private volatile @Nullable ConnectionListener listener;

	Reordering(int nodes, int majority, Timer timer) {
		this.majority = majority;
		this.timer = timer;
		this.since = new long[nodes];
		Arrays.fill(this.since, NEVER);
	}

	void tell(ConnectionListener told) {
		this.listener = told;
	}

	synchronized void add(int node) {
		this.since[node] = this.timer.nanoTime();
	}

	/**
	 * Note which nodes confirmed a renewal that counts, before anybody is told. Owner ids
	 * that are newer than all but a minority of their connections are in no doubt.
	 */
	void counted(int nodes) {
		ConnectionListener told = this.listener;
		Duration ago = replacedForMajority(nodes);
		if (told != null && ago != null) {
			told.reordered(0, ago);
		}
	}

	/**
	 * Return how long ago the last connection was replaced of those that a majority needs
	 * at least; {@code null} if a majority kept its connections lately.
	 */
	private synchronized @Nullable Duration replacedForMajority(int nodes) {
		long now = this.timer.nanoTime();
		long[] instants = IntStream.range(0, this.since.length)
			.filter((node) -> (nodes & 1 << node) != 0)
			.mapToLong((node) -> isLately(node, now) ? this.since[node] : NEVER)
			.sorted()
			.toArray();
		long last = (instants.length >= this.majority) ? instants[this.majority - 1] : NEVER;
		return (last == NEVER) ? null : Duration.ofNanos(now - last);
	}

	/**
	 * Return the nodes whose connection was replaced lately, as bits.
	 */
	synchronized int lately() {
		long now = this.timer.nanoTime();
		int nodes = 0;
		for (int node = 0; node < this.since.length; node++) {
			nodes |= isLately(node, now) ? 1 << node : 0;
		}
		return nodes;
	}

	private boolean isLately(int node, long now) {
		return this.since[node] != NEVER && now - this.since[node] < LATELY;
	}

}
