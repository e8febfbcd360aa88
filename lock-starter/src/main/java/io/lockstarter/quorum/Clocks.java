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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Watches the clocks of the nodes by the monotonic clock of this JVM. A node whose clock
 * is set forward forgets keys too early, so its vote does not count until it abstains, as
 * a node does that lost its memory.
 * <p>
 * A reply says what the clock showed between the sending of the command and the reply. If
 * it is ahead of all that the replies before allow for, the clock was set; or this JVM
 * was stopped together with its clock, as a virtual machine is. Then all nodes seem to be
 * ahead, so it takes replies of a majority to tell. Thread-safe.
 */
final class Clocks {

	/**
	 * What is not noticed: as much as is kept back of each ttl.
	 */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(2);

	/**
	 * By which part of the time clocks may gain on each other when nobody sets them.
	 */
	private static final int FASTER = 1_000;

	private final Clock[] clocks;

	private final int majority;

	private final IntFunction<CompletableFuture<?>> abstain;

	/**
	 * Create a watch.
	 * @param abstain lets a node abstain
	 */
	Clocks(int nodes, int majority, IntFunction<CompletableFuture<?>> abstain) {
		this.clocks = Stream.generate(Clock::new).limit(nodes).toArray(Clock[]::new);
		this.majority = majority;
		this.abstain = abstain;
	}

	/**
	 * Note what the clock of a node showed.
	 * @param micros what it showed, in microseconds
	 * @param sentAt when the command was sent, in nanoseconds
	 * @param receivedAt when the reply came
	 * @return whether the vote counts that the reply may be
	 */
	boolean counts(int node, long micros, long sentAt, long receivedAt) {
		List<Integer> found;
		boolean counts;
		synchronized (this) {
			this.clocks[node].observe(micros, sentAt, receivedAt);
			found = settle();
			counts = !this.clocks[node].suspected;
		}
		found.forEach(this::letAbstain);
		return counts;
	}

	/**
	 * Return the nodes that are found to have been set.
	 */
	private List<Integer> settle() {
		List<Clock> suspects = Arrays.stream(this.clocks).filter((clock) -> clock.suspected).toList();
		if (suspects.size() >= this.majority) {
			// It was this JVM's own clock.
			Arrays.stream(this.clocks).forEach(Clock::forget);
			return List.of();
		}
		List<Integer> found = new ArrayList<>();
		for (int node = 0; node < this.clocks.length; node++) {
			Clock clock = this.clocks[node];
			if (clock.suspected && !clock.told && isSteadySince(clock.suspectedAt)) {
				clock.told = true;
				found.add(node);
			}
		}
		return found;
	}

	private boolean isSteadySince(long instant) {
		return Arrays.stream(this.clocks)
			.filter((clock) -> !clock.suspected && clock.known && clock.receivedAt >= instant)
			.count() >= this.majority;
	}

	private void letAbstain(int node) {
		var unused = this.abstain.apply(node).whenComplete((done, failure) -> {
			synchronized (this) {
				this.clocks[node].told = false;
				this.clocks[node].suspected &= failure != null;
			}
		});
	}

	/**
	 * What is known of the clock of a node: by how much it is ahead of that of this JVM,
	 * at least and at most, as of the last reply.
	 */
	private static final class Clock {

		private boolean known;

		private long least;

		private long most;

		private long receivedAt;

		private boolean suspected;

		private long suspectedAt;

		// whether the node is being told to abstain
		private boolean told;

		void observe(long micros, long sentAt, long now) {
			long shown = Duration.ofMillis(micros / 1000).toNanos() + micros % 1000 * 1000;
			long newLeast = shown - now;
			long newMost = shown + 1000 - sentAt;
			long gained = Math.max(0, now - this.receivedAt) / FASTER;
			if (this.known && newLeast > this.most + gained + TOLERANCE && !this.suspected) {
				this.suspected = true;
				this.suspectedAt = now;
			}
			boolean fits = this.known && newLeast <= this.most + gained && newMost >= this.least - gained;
			this.least = fits ? Math.max(newLeast, this.least - gained) : newLeast;
			this.most = fits ? Math.min(newMost, this.most + gained) : newMost;
			this.known = true;
			this.receivedAt = now;
		}

		void forget() {
			this.known = false;
			this.suspected = false;
		}

	}

}
