// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that vote, how many of them decide, and for how long they may answer.
 * Immutable.
 */
final class Electorate {

	private static final int FEWEST = 3;

	private static final int MOST = 15;

	/**
	 * How much of a ttl nodes may take at most, so that those that do not answer leave
	 * time for another try.
	 */
	private static final int PART_OF_TTL = 5;

	private final List<VotingStore> nodes;

	private final List<Duration> timeouts;

	private final Duration longestTimeout;

	private final Duration leastPatience;

	private final Platform platform;

	private final Timer timer;

	/**
	 * Create an electorate.
	 * @param nodes {@value #FEWEST} to {@value #MOST} nodes
	 * @param leastPatience how long nodes may take to answer in any case
	 */
	Electorate(List<QuorumNode> nodes, Duration leastPatience, Platform platform) {
		if (nodes.size() < FEWEST || nodes.size() > MOST) {
			throw new IllegalArgumentException(
					"nodes must be %d to %d servers, but are %d".formatted(FEWEST, MOST, nodes.size()));
		}
		this.nodes = nodes.stream().map(QuorumNode::store).toList();
		this.timeouts = nodes.stream().map(QuorumNode::timeout).toList();
		this.longestTimeout = Collections.max(this.timeouts);
		this.leastPatience = leastPatience;
		this.platform = platform;
		this.timer = platform.timer("lock-quorum");
	}

	int size() {
		return this.nodes.size();
	}

	int majority() {
		return this.nodes.size() / 2 + 1;
	}

	List<VotingStore> nodes() {
		return this.nodes;
	}

	VotingStore node(int node) {
		return this.nodes.get(node);
	}

	boolean isConnected(int node) {
		return node(node).connectionCount() > 0;
	}

	Duration longestTimeout() {
		return this.longestTimeout;
	}

	/**
	 * Return how long a node may take to answer; {@code null} if that is as long as any
	 * other one may.
	 */
	@Nullable Duration shorterTimeout(int node) {
		Duration timeout = this.timeouts.get(node);
		return (timeout.compareTo(this.longestTimeout) < 0) ? timeout : null;
	}

	/**
	 * Return for how long nodes may answer to a command for a ttl.
	 */
	long patience(Duration ttl) {
		return Math.min(this.longestTimeout.toNanos(),
				Math.max(this.leastPatience.toNanos(), ttl.toNanos() / PART_OF_TTL));
	}

	/**
	 * Withdraw a command that is not answered in time.
	 */
	void limit(CompletableFuture<?> answer, Duration timeout) {
		try {
			Runnable answered = this.timer.schedule(() -> answer.cancel(false), timeout.toNanos());
			var unused = answer.whenComplete((reply, failure) -> answered.run());
		}
		catch (RuntimeException | Error ex) {
			// No thread, for a moment: it has as much time as the whole.
		}
	}

	Timer timer() {
		return this.timer;
	}

	long nanoTime() {
		return this.timer.nanoTime();
	}

	RandomGenerator random() {
		return this.platform.random();
	}

}
