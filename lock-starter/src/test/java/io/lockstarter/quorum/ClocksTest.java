// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The clocks of the nodes of a quorum, some of which are set. Time is that of the test.
 */
class ClocksTest {

	private static final Duration MILLISECOND = Duration.ofMillis(1);

	private static final Duration ABSTENTION = Duration.ofSeconds(67);

	private final long[] ahead = { 3_000_000_000L, -5_000_000_000L, 0, 0, 0 };

	private final List<Integer> abstaining = new ArrayList<>();

	private CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(true);

	private final Clocks clocks = clocks(3);

	private long now = Duration.ofDays(1).toNanos();

	@Test
	void clocksNeedNotShowTheSameTime() {
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
	}

	@Test
	void voteOfANodeWhoseClockIsSetForwardDoesNotCountUntilItAbstains() {
		watch();
		this.ahead[1] += Duration.ofMillis(10).toNanos();
		this.answer = new CompletableFuture<>();
		assertThat(counts(0, MILLISECOND)).isTrue();
		assertThat(counts(1, MILLISECOND)).isFalse();
		assertThat(this.abstaining).as("perhaps it is the clock of this JVM").isEmpty();
		assertThat(counts(2, MILLISECOND)).isTrue();
		assertThat(this.abstaining).isEmpty();
		assertThat(counts(0, MILLISECOND)).isTrue();
		assertThat(this.abstaining).containsExactly(1);
		assertThat(all(MILLISECOND)).containsExactly(true, false, true);
		assertThat(this.abstaining).as("told once").containsExactly(1);
		this.answer.complete(true);
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
		assertThat(this.abstaining).containsExactly(1);
	}

	@Test
	void nodeThatCannotBeToldIsToldAgain() {
		watch();
		this.ahead[1] += Duration.ofHours(1).toNanos();
		this.answer = CompletableFuture.failedFuture(new IllegalStateException("planted"));
		all(MILLISECOND);
		assertThat(all(MILLISECOND)).containsExactly(true, false, true);
		assertThat(this.abstaining).hasSizeGreaterThan(1).containsOnly(1);
		this.answer = CompletableFuture.completedFuture(true);
		all(MILLISECOND);
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
	}

	@Test
	void clockThatIsSetBackForgetsNothingEarly() {
		all(MILLISECOND);
		this.ahead[1] -= Duration.ofHours(1).toNanos();
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
		this.ahead[1] += Duration.ofHours(1).toNanos();
		assertThat(all(MILLISECOND)).containsExactly(true, false, true);
	}

	@Test
	void ifAllSeemToBeAheadItIsTheClockOfThisJvm() {
		all(MILLISECOND);
		for (int node = 0; node < 3; node++) {
			this.ahead[node] += Duration.ofMinutes(1).toNanos();
		}
		all(MILLISECOND);
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
		assertThat(this.abstaining).isEmpty();
	}

	@Test
	void whereTooFewNodesAnswerToTellTheVoteCountsWhenAllIsOver() {
		all(MILLISECOND);
		this.ahead[0] += Duration.ofMillis(50).toNanos();
		long set = this.now;
		while (this.now - set < ABSTENTION.minusSeconds(1).toNanos()) {
			assertThat(counts(0, MILLISECOND)).isFalse();
			assertThat(counts(1, MILLISECOND)).isTrue();
			this.now += Duration.ofMillis(500).toNanos();
		}
		assertThat(this.abstaining).isEmpty();
		this.now = set + ABSTENTION.plusSeconds(1).toNanos();
		assertThat(counts(0, MILLISECOND)).isTrue();
	}

	@Test
	void clocksThatAreSetOneAfterTheOtherAreNotTakenForThisJvm() {
		watch();
		this.ahead[0] += Duration.ofMinutes(1).toNanos();
		counts(0, MILLISECOND);
		assertThat(counts(1, MILLISECOND)).isTrue();
		this.ahead[1] += Duration.ofMinutes(1).toNanos();
		assertThat(counts(1, MILLISECOND)).isFalse();
		assertThat(counts(0, MILLISECOND)).isFalse();
		assertThat(counts(1, MILLISECOND)).isFalse();
	}

	@Test
	void nodesThatAnswerTooSlowlyToTellSayNothing() {
		watch();
		this.ahead[0] += Duration.ofMillis(30).toNanos();
		assertThat(counts(0, MILLISECOND)).isFalse();
		Duration slow = Duration.ofMillis(80);
		for (int i = 0; i < 3; i++) {
			counts(1, slow);
			counts(2, slow);
		}
		assertThat(this.abstaining).isEmpty();
		counts(1, MILLISECOND);
		counts(2, MILLISECOND);
		assertThat(this.abstaining).containsExactly(0);
	}

	@Test
	void manySmallStepsAddUp() {
		boolean counted = true;
		all(MILLISECOND);
		for (int i = 0; i < 10 && counted; i++) {
			this.ahead[0] += Duration.ofMillis(3).toNanos() / 2;
			this.now += Duration.ofMillis(10).toNanos();
			counted = counts(0, Duration.ofNanos(100_000));
			counts(1, MILLISECOND);
			counts(2, MILLISECOND);
		}
		assertThat(counted).isFalse();
	}

	@Test
	void smallStepsThatQuickRepliesShowAddUpToo() {
		Duration quick = Duration.ofNanos(1000);
		boolean counted = true;
		all(MILLISECOND);
		for (int i = 0; i < 20 && counted; i++) {
			this.ahead[0] += Duration.ofMillis(3).toNanos() / 2;
			counted = counts(0, quick);
			this.ahead[0] -= Duration.ofMillis(1).toNanos() / 10;
			counted &= counts(0, quick);
		}
		assertThat(counted).isFalse();
	}

	@Test
	void clocksMayGainWhileAReplyIsOnItsWay() {
		watch();
		for (int i = 0; i < 100; i++) {
			long sent = this.now;
			this.now += Duration.ofMillis(600).toNanos();
			this.ahead[0] += Duration.ofMillis(600).toNanos() * 9 / 1000;
			assertThat(this.clocks.counts(0, shown(0, this.now), sent, this.now)).isTrue();
			assertThat(counts(0, Duration.ofNanos(1000))).isTrue();
		}
	}

	@Test
	void anOlderReplyThatComesLaterSaysNothing() {
		all(MILLISECOND);
		long sent = this.now;
		long before = shown(0, sent + 500_000);
		this.now++;
		this.ahead[0] -= Duration.ofSeconds(5).toNanos();
		assertThat(counts(0, MILLISECOND)).isTrue();
		assertThat(this.clocks.counts(0, before, sent, this.now)).as("perhaps it was set").isFalse();
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
	}

	@Test
	void stepIsFoundAlthoughCommandsOverlap() {
		watch();
		long sent = this.now;
		long next = sent + 1_000_000;
		assertThat(this.clocks.counts(0, shown(0, sent + 500_000), sent, sent + 2_000_000)).isTrue();
		this.ahead[0] += Duration.ofSeconds(8).toNanos();
		assertThat(this.clocks.counts(0, shown(0, sent + 2_000_000), next, sent + 3_000_000)).isFalse();
		this.now = sent + 3_000_000;
		assertThat(counts(0, Duration.ofSeconds(20))).as("a reply that is too slow to tell").isFalse();
	}

	@Test
	void replyThatIsOvertakenDoesNotCountIfItIsAhead() {
		watch();
		long sent = this.now;
		assertThat(this.clocks.counts(0, shown(0, sent + 1_500_000), sent + 1_000_000, sent + 2_000_000)).isTrue();
		assertThat(this.clocks.counts(0, shown(0, sent + 1_600_000), sent, sent + 3_000_000)).isTrue();
		this.ahead[0] += Duration.ofSeconds(8).toNanos();
		assertThat(this.clocks.counts(0, shown(0, sent + 3_500_000), sent, sent + 4_000_000)).isFalse();
		this.now = sent + 4_000_000;
		assertThat(counts(0, MILLISECOND)).isFalse();
	}

	@Test
	void stepBetweenCommandsThatWereSentAtOnceIsFound() {
		watch();
		long sent = this.now;
		assertThat(this.clocks.counts(0, shown(0, sent + 1_000_000), sent, sent + 1_000_000)).isTrue();
		this.ahead[0] += Duration.ofSeconds(8).toNanos();
		assertThat(this.clocks.counts(0, shown(0, sent + 2_000_000), sent, sent + 2_000_000)).isFalse();
		this.now = sent + 2_000_000;
		assertThat(counts(0, Duration.ofSeconds(20))).as("a reply that is too slow to tell").isFalse();
	}

	@Test
	void clockThatIsSetAgainWhileFewAnswerCountsWhenAllIsOverSinceThen() {
		all(MILLISECOND);
		this.ahead[0] += Duration.ofMillis(50).toNanos();
		assertThat(counts(0, MILLISECOND)).isFalse();
		this.now += ABSTENTION.minusSeconds(1).toNanos();
		this.ahead[0] += Duration.ofHours(1).toNanos();
		assertThat(counts(0, MILLISECOND)).isFalse();
		this.now += Duration.ofSeconds(2).toNanos();
		assertThat(counts(0, MILLISECOND)).as("set again").isFalse();
		this.now += ABSTENTION.toNanos();
		assertThat(counts(0, MILLISECOND)).isTrue();
		assertThat(this.abstaining).isEmpty();
	}

	@Test
	void stepThatTheReplyShowsAfterWhichAllIsOverIsFound() {
		all(MILLISECOND);
		this.ahead[0] += Duration.ofMillis(50).toNanos();
		assertThat(counts(0, MILLISECOND)).isFalse();
		this.now += ABSTENTION.plusSeconds(1).toNanos();
		this.ahead[0] += Duration.ofHours(1).toNanos();
		assertThat(counts(0, MILLISECOND)).isFalse();
		assertThat(counts(0, MILLISECOND)).isFalse();
	}

	@Test
	void voteThatWasAskedForBeforeAllIsOverDoesNotCount() {
		all(MILLISECOND);
		this.ahead[0] += Duration.ofMillis(50).toNanos();
		assertThat(counts(0, MILLISECOND)).isFalse();
		this.now += ABSTENTION.minusSeconds(1).toNanos();
		assertThat(counts(0, Duration.ofSeconds(2))).isFalse();
		assertThat(counts(0, MILLISECOND)).isTrue();
	}

	@Test
	void clockThatIsSetWhileItsNodeIsToldToAbstainIsToldOnceMore() {
		watch();
		this.ahead[1] += Duration.ofMinutes(1).toNanos();
		this.answer = new CompletableFuture<>();
		all(MILLISECOND);
		all(MILLISECOND);
		assertThat(this.abstaining).containsExactly(1);
		this.ahead[1] += Duration.ofMinutes(1).toNanos();
		all(MILLISECOND);
		CompletableFuture<Boolean> first = this.answer;
		this.answer = new CompletableFuture<>();
		first.complete(true);
		assertThat(counts(1, MILLISECOND)).isFalse();
		assertThat(all(MILLISECOND)).containsExactly(true, false, true);
		assertThat(this.abstaining).containsExactly(1, 1);
		this.answer.complete(true);
		assertThat(all(MILLISECOND)).containsExactly(true, true, true);
		assertThat(this.abstaining).containsExactly(1, 1);
	}

	@Test
	void voteThatWasAskedForBeforeTheNodeAbstainedDoesNotCount() {
		watch();
		this.ahead[1] += Duration.ofMinutes(1).toNanos();
		this.answer = new CompletableFuture<>();
		all(MILLISECOND);
		all(MILLISECOND);
		long sent = this.now;
		this.now += MILLISECOND.toNanos();
		this.answer.complete(true);
		this.now += MILLISECOND.toNanos();
		assertThat(this.clocks.counts(1, shown(1, sent + 1), sent, this.now)).isFalse();
		assertThat(counts(1, MILLISECOND)).isTrue();
	}

	@Test
	void clockOfAnotherMillenniumIsNoMistake() {
		all(MILLISECOND);
		assertThat(this.clocks.counts(0, Long.MAX_VALUE, this.now, this.now + 1)).isFalse();
		assertThat(this.clocks.counts(0, Long.MIN_VALUE, this.now + 1, this.now + 2)).isFalse();
	}

	@Test
	void slowRepliesSayLittle() {
		all(MILLISECOND);
		Random random = new Random(1);
		for (int i = 0; i < 10_000; i++) {
			this.now += random.nextInt(1_000) * 1_000_000L;
			assertThat(counts(random.nextInt(3), Duration.ofNanos(random.nextInt(2_000_000_000)))).isTrue();
		}
		assertThat(this.abstaining).isEmpty();
	}

	@Test
	void clocksMayGainAHundredthOnEachOther() {
		for (int i = 0; i < 10_000; i++) {
			this.now += 1_000_000_000L;
			this.ahead[0] += 5_000_000;
			this.ahead[2] -= 4_000_000;
			assertThat(all(MILLISECOND)).containsExactly(true, true, true);
		}
		assertThat(this.abstaining).isEmpty();
	}

	@Test
	void clockOfThisJvmThatIsSlowLetsNobodyAbstain() {
		Random random = new Random(1);
		watch();
		for (int i = 0; i < 10_000; i++) {
			long pause = random.nextInt(3_000_000);
			this.now += pause;
			for (int node = 0; node < 3; node++) {
				this.ahead[node] += pause / 5;
			}
			counts(random.nextInt(3), Duration.ofNanos(100_000 + random.nextInt(2_000_000)));
		}
		assertThat(this.abstaining).isEmpty();
	}

	@Test
	void nodeThatWasAwayForDaysIsAWitnessSoon() {
		watch();
		for (int i = 0; i < 48; i++) {
			this.now += Duration.ofHours(1).toNanos();
			counts(0, MILLISECOND);
			counts(1, MILLISECOND);
		}
		// it is watched anew
		this.ahead[2] -= Duration.ofHours(1).toNanos();
		watch();
		this.now += ABSTENTION.toNanos();
		watch();
		this.ahead[0] += Duration.ofHours(1).toNanos();
		watch();
		assertThat(this.abstaining).contains(0);
	}

	@Test
	void clockOfThisJvmThatStopsIsRecognizedAlthoughANodeWasSet() {
		watch();
		this.answer = CompletableFuture.failedFuture(new IllegalStateException("planted"));
		this.ahead[0] += Duration.ofMinutes(1).toNanos();
		watch();
		for (int node = 0; node < 3; node++) {
			this.ahead[node] += Duration.ofSeconds(10).toNanos();
		}
		counts(1, MILLISECOND);
		counts(2, MILLISECOND);
		assertThat(all(MILLISECOND)).containsExactly(false, true, true);
	}

	@Test
	void nodesThatWereAskedAtTheSameTimeAreWitnesses() {
		long sent = this.now;
		for (int node = 0; node < 3; node++) {
			this.now += MILLISECOND.toNanos();
			this.clocks.counts(node, shown(node, sent), sent, this.now);
		}
		this.ahead[0] += Duration.ofMinutes(1).toNanos();
		watch();
		assertThat(this.abstaining).contains(0);
	}

	@Test
	void nodeThatWasNotWatchedBeforeIsNoWitness() {
		all(MILLISECOND);
		this.ahead[0] += Duration.ofMillis(30).toNanos();
		for (int i = 0; i < 3; i++) {
			assertThat(all(MILLISECOND)).containsExactly(false, true, true);
		}
		assertThat(this.abstaining).isEmpty();
	}

	@Test
	void stepIsFoundAlthoughRepliesWereSlowSometimes() {
		for (int i = 0; i < 100; i++) {
			all(Duration.ofMillis(1 + i % 20));
		}
		this.ahead[2] += Duration.ofMillis(12).toNanos();
		assertThat(all(MILLISECOND)).containsExactly(true, true, false);
	}

	@Test
	void answerOfANodeSettlesNoStepThatWasFoundAfterTheOneItWasToldFor() {
		Clocks five = clocks(5);
		IntStream.range(0, 10).forEach((i) -> counts(five, i % 5, MILLISECOND));
		this.answer = new CompletableFuture<>();
		this.ahead[0] += Duration.ofHours(1).toNanos();
		this.ahead[1] += Duration.ofMillis(10).toNanos();
		assertThat(counts(five, 0, MILLISECOND)).isFalse();
		assertThat(counts(five, 1, MILLISECOND)).isFalse();
		// slow enough to tell that an hour is no pause of this JVM, and not so of 10 ms
		IntStream.range(2, 5).forEach((node) -> counts(five, node, Duration.ofMillis(30)));
		assertThat(this.abstaining).containsExactly(0);
		this.ahead[2] += Duration.ofMillis(10).toNanos();
		counts(five, 2, MILLISECOND);
		for (int node = 0; node < 5; node++) {
			assertThat(counts(five, node, MILLISECOND)).as("three of five: it may have been this JVM").isTrue();
		}
		CompletableFuture<Boolean> first = this.answer;
		this.answer = new CompletableFuture<>();
		IntStream.range(0, 5).forEach((node) -> counts(five, node, MILLISECOND));
		this.ahead[0] += Duration.ofHours(1).toNanos();
		IntStream.range(0, 5).forEach((node) -> counts(five, node, MILLISECOND));
		assertThat(this.abstaining).containsExactly(0, 0);
		first.complete(true);
		assertThat(counts(five, 0, MILLISECOND)).isFalse();
		this.answer.complete(true);
		assertThat(counts(five, 0, MILLISECOND)).isTrue();
	}

	private Clocks clocks(int nodes) {
		return new Clocks(nodes, nodes / 2 + 1, ABSTENTION, (node) -> {
			this.abstaining.add(node);
			return this.answer;
		}, () -> this.now);
	}

	private void watch() {
		all(MILLISECOND);
		all(MILLISECOND);
	}

	private List<Boolean> all(Duration roundTrip) {
		return List.of(counts(0, roundTrip), counts(1, roundTrip), counts(2, roundTrip));
	}

	private long shown(int node, long then) {
		return (then + Duration.ofDays(20_000).toNanos() + this.ahead[node]) / 1000;
	}

	private boolean counts(int node, Duration roundTrip) {
		return counts(this.clocks, node, roundTrip);
	}

	private boolean counts(Clocks watch, int node, Duration roundTrip) {
		long sentAt = this.now;
		this.now += roundTrip.toNanos() / 2;
		long micros = shown(node, this.now);
		this.now += roundTrip.toNanos() - roundTrip.toNanos() / 2;
		return watch.counts(node, micros, sentAt, this.now);
	}

}
