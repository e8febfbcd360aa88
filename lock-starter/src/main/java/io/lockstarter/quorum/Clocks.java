// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Watches the clocks of the nodes by the monotonic clock of this JVM. A node whose clock
 * is set forward forgets keys too early, so its vote does not count until it abstains, as
 * a node does that lost its memory.
 * <p>
 * A reply says what the clock showed between the sending of the command and the reply. If
 * it is ahead of all that the replies before allow for, the clock was set; or this JVM
 * was stopped together with its clock, as a virtual machine is, or its clock is slow.
 * Then all nodes seem to be ahead, so it takes replies of a majority to tell, which have
 * been watched for as long, and have not gained half as much themselves.
 * <p>
 * A clock may be set again while its node is told to abstain. Nobody knows whether that
 * was before the node did, so it is told once more. Thread-safe.
 */
final class Clocks {

	/**
	 * What is not noticed: as much as is kept back of each ttl.
	 */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(2);

	/**
	 * By which part of the time clocks may gain on each other when nobody sets them: as
	 * much as is kept back of each ttl by default.
	 */
	private static final int FASTER = 100;

	private final Clock[] clocks;

	private final int majority;

	private final long abstention;

	private final IntFunction<CompletableFuture<?>> abstain;

	private final LongSupplier nanoTime;

	// when the last command was sent whose reply says that its node's clock is as before
	private long steadyAt = Long.MIN_VALUE;

	/**
	 * Create a watch.
	 * @param abstention for how long a node abstains
	 * @param abstain lets a node abstain
	 * @param nanoTime the clock of this JVM
	 */
	Clocks(int nodes, int majority, Duration abstention, IntFunction<CompletableFuture<?>> abstain,
			LongSupplier nanoTime) {
		this.clocks = Stream.generate(Clock::new).limit(nodes).toArray(Clock[]::new);
		this.majority = majority;
		this.abstention = abstention.toNanos();
		this.abstain = abstain;
		this.nanoTime = nanoTime;
	}

	/**
	 * Note what the clock of a node showed.
	 * @param micros what it showed, in microseconds
	 * @param sentAt when the command was sent, in nanoseconds
	 * @param receivedAt when the reply came
	 * @return whether the vote counts that the reply may be
	 */
	boolean counts(int node, long micros, long sentAt, long receivedAt) {
		Map<Integer, Suspicion> found;
		boolean counts;
		synchronized (this) {
			Clock clock = this.clocks[node];
			boolean plausible = clock.observe(micros, sentAt, receivedAt);
			clock.forgive(sentAt, this.abstention);
			if (clock.suspicion == null && suspicions().allMatch((suspicion) -> isSteadyBeside(clock, suspicion))) {
				this.steadyAt = Math.max(this.steadyAt, sentAt);
			}
			found = settle();
			counts = plausible && clock.suspicion == null && sentAt >= clock.trustedSince;
		}
		found.forEach(this::letAbstain);
		return counts;
	}

	private Stream<Suspicion> suspicions() {
		return Arrays.stream(this.clocks).flatMap((clock) -> Stream.ofNullable(clock.suspicion));
	}

	/**
	 * Return the nodes whose clocks are found to have been set, and why they are told.
	 */
	private Map<Integer, Suspicion> settle() {
		if (suspicions().filter((suspicion) -> suspicion.at > this.steadyAt).count() >= this.majority) {
			// It was this JVM's own clock, but for those that were set before.
			Arrays.stream(this.clocks).forEach((clock) -> clock.forget(this.steadyAt));
			return Map.of();
		}
		Map<Integer, Suspicion> found = new HashMap<>();
		for (int node = 0; node < this.clocks.length; node++) {
			Suspicion suspicion = this.clocks[node].suspicion;
			if (suspicion != null && !suspicion.told && isSteadyWhile(suspicion)) {
				suspicion.told = true;
				suspicion.again = false;
				found.put(node, suspicion);
			}
		}
		return found;
	}

	/**
	 * Return whether a majority says that it is not this JVM that stood still: by
	 * commands that were sent since, and with replies quick enough to tell.
	 */
	private boolean isSteadyWhile(Suspicion suspicion) {
		return Arrays.stream(this.clocks)
			.filter((clock) -> clock.suspicion == null && clock.sentAt >= suspicion.at
					&& isSteadyBeside(clock, suspicion))
			.count() >= this.majority;
	}

	/**
	 * Return whether a clock would be ahead, too, if that of this JVM had stood still, or
	 * had been slow for long, and it is not.
	 */
	private boolean isSteadyBeside(Clock clock, Suspicion suspicion) {
		long watched = Math.min(suspicion.span / 4 * 3, this.abstention);
		return clock.compared && clock.since <= suspicion.lastSteady && clock.receivedAt - clock.since >= watched
				&& clock.gain < suspicion.ahead / 2;
	}

	private void letAbstain(int node, Suspicion suspicion) {
		CompletableFuture<?> answer;
		try {
			answer = this.abstain.apply(node);
		}
		catch (RuntimeException | Error ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		var unused = answer.whenComplete((done, failure) -> {
			synchronized (this) {
				suspicion.told = false;
				if (failure == null) {
					this.clocks[node].abstains(suspicion, this.nanoTime.getAsLong());
				}
			}
		});
	}

	/**
	 * What is known of the clock of a node: by how much it is ahead of that of this JVM,
	 * at least as of the last reply, and at most as of the sending of its command.
	 */
	private static final class Clock {

		private static final long LIMIT = Long.MAX_VALUE / 4;

		private boolean known;

		private long least;

		private long most;

		// when the first command was sent whose replies the bounds follow from
		private long since;

		// by how much the last reply lets it be ahead of the upper bound before
		private long gain;

		private long sentAt;

		private long receivedAt;

		// whether it was known before the last reply
		private boolean compared;

		// null if it is as before
		private @Nullable Suspicion suspicion;

		// when a vote that counts was asked for at the earliest
		private long trustedSince = Long.MIN_VALUE;

		/**
		 * Note a reply.
		 * @return whether its vote may count: not if it is ahead and was overtaken, which
		 * says nothing of the node
		 */
		boolean observe(long micros, long sent, long now) {
			long shown = Math.max(-LIMIT, Math.min(LIMIT, TimeUnit.MICROSECONDS.toNanos(micros)));
			long newLeast = shown - now;
			long newMost = shown + 1000 - sent;
			long ahead = newLeast - this.most - gained(this.sentAt, now);
			if (this.known && sent < this.sentAt) {
				// The reply to a later command came before. If the clock was set in
				// between, nobody knows which way.
				return ahead <= TOLERANCE;
			}
			if (this.known && ahead > TOLERANCE) {
				suspect(now, ahead);
			}
			boolean forward = !this.known || ahead > TOLERANCE;
			boolean back = newMost < this.least - gained(this.receivedAt, sent);
			long mostBefore = this.most + gained(this.sentAt, sent);
			this.gain = newMost - mostBefore;
			if (forward || back) {
				// Commands to several nodes are sent at once, and answered one after the
				// other.
				this.since = sent;
			}
			// Small steps add up, so the upper bound follows none of them.
			this.most = forward ? newMost : Math.min(newMost, mostBefore);
			this.least = (forward || back) ? newLeast : Math.max(newLeast, this.least - gained(this.receivedAt, now));
			this.compared = this.known;
			this.known = true;
			this.sentAt = sent;
			this.receivedAt = now;
			return true;
		}

		private static long gained(long begin, long end) {
			return Math.max(0, end - begin) / FASTER;
		}

		private void suspect(long now, long ahead) {
			if (this.suspicion == null) {
				this.suspicion = new Suspicion(now, this.receivedAt, now - this.since, ahead);
			}
			this.suspicion.lastAt = now;
			this.suspicion.again = true;
		}

		/**
		 * Trust the clock again if all is over that its node may have forgotten too
		 * early.
		 * @param sent when the command was sent that the node replied to
		 */
		void forgive(long sent, long abstention) {
			if (this.suspicion != null && !this.suspicion.told && sent - this.suspicion.lastAt >= abstention) {
				this.suspicion = null;
			}
		}

		/**
		 * Note that the node abstains, which settles nothing that was found since it was
		 * told to.
		 * @param reason why it was told to
		 */
		void abstains(Suspicion reason, long now) {
			if (this.suspicion == reason && !reason.again) {
				this.suspicion = null;
			}
			this.trustedSince = now;
		}

		/**
		 * Forget the replies, and whether it was set, unless that is known of a time
		 * before.
		 */
		void forget(long steadyAt) {
			this.known = false;
			this.compared = false;
			if (this.suspicion != null && this.suspicion.at > steadyAt) {
				this.suspicion = null;
			}
		}

	}

	/**
	 * That a clock was ahead, and so may have been set. Its vote does not count until
	 * that is settled.
	 */
	private static final class Suspicion {

		// when the reply came that showed it
		private final long at;

		// when the reply before came
		private final long lastSteady;

		// for how long the clock had been watched
		private final long span;

		// by how much it was set at least
		private final long ahead;

		// when the last reply came that was ahead
		private long lastAt;

		// whether the node is being told to abstain
		private boolean told;

		// whether a reply was ahead since then
		private boolean again;

		Suspicion(long at, long lastSteady, long span, long ahead) {
			this.at = at;
			this.lastSteady = lastSteady;
			this.span = span;
			this.ahead = ahead;
		}

	}

}
