// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.HoldHistory.Breach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for {@link HoldHistory}, on planted violations of every kind.
 */
class HoldHistoryTest {

	private static final String KEY = "k";

	private final HoldHistory history = new HoldHistory(Duration.ofNanos(1_000));

	@Test
	void leasesInSequenceWithGrowingTokensAreFine() {
		this.history.add(KEY, "b:1", 20, 30, 3, 4);
		this.history.add(KEY, "a:1", 10, 20, 1, 2);
		this.history.add("other", "c:1", 15, 25, 1, 2);
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.history.grants()).isEqualTo(3);
	}

	@Test
	void aWholeLifeIsFine() {
		this.history.add(HoldEvent.asked(KEY, "a:1", 5));
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 40, 1));
		this.history.add(HoldEvent.seen(KEY, "a:1", 12));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 15, 1));
		this.history.add(HoldEvent.extended(KEY, "a:1", 30, 70, 1));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 69, 1));
		this.history.add(HoldEvent.toldLost(KEY, "a:1", 70, 1));
		this.history.add(HoldEvent.givenUp(KEY, "a:1", 70, 30));
		this.history.add(HoldEvent.seen(KEY, "a:1", 99));
		this.history.add(HoldEvent.extended(KEY, "a:1", 105, 130, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 110, 140, 2));
		this.history.add(HoldEvent.ended(KEY, "a:1", 120, 1));
		this.history.add(HoldEvent.ended(KEY, "b:1", 125, 2));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void leasesThatShareAKeyAreFine() {
		this.history.add(KEY, "w:1", 0, 5, 1, 1);
		this.history.add(HoldEvent.shared(KEY, "b", 8, 40, 3));
		this.history.add(HoldEvent.shared(KEY, "a", 10, 40, 2));
		this.history.add(HoldEvent.shared(KEY, "c", 12, 40, 2));
		this.history.add(HoldEvent.toldHeld(KEY, "a", 20, 2));
		this.history.add(HoldEvent.ended(KEY, "a", 25, 2));
		this.history.add(HoldEvent.toldHeld(KEY, "c", 30, 2));
		this.history.add(KEY, "w:2", 40, 50, 4, 4);
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void overlapWithOneThatSharesIsFound() {
		this.history.add(HoldEvent.shared(KEY, "a", 10, 20, 1));
		this.history.add(KEY, "w:1", 19, 30, 2, 2);
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapOfOneThatSharesIsFound() {
		this.history.add(KEY, "w:1", 10, 20, 1, 1);
		this.history.add(HoldEvent.shared(KEY, "a", 19, 30, 2));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void tokenOfOneThatSharesIsLargerThanThoseOfExclusiveOnes() {
		this.history.add(KEY, "w:1", 10, 20, 3, 4);
		this.history.add(HoldEvent.shared(KEY, "a", 20, 30, 4));
		assertOnly(Breach.TOKEN);
	}

	@Test
	void exclusiveTokenIsLargerThanThoseOfAllThatShared() {
		this.history.add(HoldEvent.shared(KEY, "a", 10, 20, 4));
		this.history.add(HoldEvent.shared(KEY, "b", 10, 20, 3));
		this.history.add(KEY, "w:1", 20, 30, 4, 5);
		assertOnly(Breach.TOKEN);
	}

	@Test
	void leaseThatIsDowngradedKeepsItsToken() {
		this.history.add(KEY, "w:1", 10, 20, 3, 3);
		this.history.add(HoldEvent.downgraded(KEY, "a", 20, 40, 3));
		this.history.add(HoldEvent.shared(KEY, "b", 22, 40, 4));
		this.history.add(HoldEvent.toldHeld(KEY, "a", 30, 3));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void leaseThatIsDowngradedAfterAnotherWasExclusiveIsFound() {
		this.history.add(KEY, "w:1", 10, 20, 3, 3);
		this.history.add(KEY, "w:2", 20, 30, 4, 4);
		this.history.add(HoldEvent.downgraded(KEY, "a", 30, 40, 3));
		assertOnly(Breach.TOKEN);
	}

	@Test
	void leaseThatIsDowngradedWithAnotherTokenIsFound() {
		this.history.add(KEY, "w:1", 10, 20, 3, 3);
		this.history.add(HoldEvent.downgraded(KEY, "a", 20, 40, 4));
		assertOnly(Breach.TOKEN);
	}

	@Test
	void leaseThatIsDowngradedTwiceIsFound() {
		this.history.add(KEY, "w:1", 10, 20, 3, 3);
		this.history.add(HoldEvent.downgraded(KEY, "a", 21, 40, 3));
		this.history.add(HoldEvent.downgraded(KEY, "b", 22, 40, 3));
		assertOnly(Breach.TOKEN);
	}

	@Test
	void leaseThatIsDowngradedAfterItWasToldLostIsFound() {
		this.history.add(HoldEvent.granted(KEY, "w:1", 10, 20, 3));
		this.history.add(HoldEvent.toldLost(KEY, "w:1", 15, 3));
		this.history.add(HoldEvent.ended(KEY, "w:1", 16, 3));
		this.history.add(HoldEvent.downgraded(KEY, "a", 17, 40, 3));
		assertOnly(Breach.HELD_AFTER_LOST);
	}

	@Test
	void leaseThatIsDowngradedAfterTheStoreForgotItIsExcused() {
		this.history.add(HoldEvent.granted(KEY, "w:1", 10, 60, 3));
		this.history.add(HoldEvent.forgotten(KEY, "restart", 15, 20));
		this.history.add(HoldEvent.granted(KEY, "w:2", 21, 60, 4));
		this.history.add(HoldEvent.ended(KEY, "w:1", 30, 3));
		this.history.add(HoldEvent.downgraded(KEY, "a", 31, 60, 3));
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.history.excused()).containsOnlyKeys("restart");
	}

	@Test
	void overlapWithOneThatIsDowngradedIsFound() {
		this.history.add(KEY, "w:1", 10, 20, 3, 3);
		this.history.add(HoldEvent.downgraded(KEY, "a", 20, 40, 3));
		this.history.add(HoldEvent.granted(KEY, "w:2", 30, 50, 4));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapIsFound() {
		this.history.add(KEY, "a:1", 10, 20, 1, 2);
		this.history.add(KEY, "b:1", 19, 30, 3, 4);
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapIsFoundHoweverLateTheFirstHolderReports() {
		this.history.add(KEY, "b:1", 19, 30, 3, 4);
		this.history.add(KEY, "a:1", 10, 20, 1, 2);
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapWithADeadlineIsFoundAlthoughItsHolderNeverLookedAgain() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 40, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 39, 60, 2));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapByARenewalIsFound() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 20, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 20, 40, 2));
		this.history.add(HoldEvent.extended(KEY, "a:1", 25, 50, 1));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapByAnAnswerIsFound() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 20, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 20, 40, 2));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 25, 1));
		this.history.violations();
		assertThat(this.history.breaches()).containsOnlyKeys(Breach.HELD_PAST_DEADLINE, Breach.OVERLAP);
	}

	@Test
	void overlapOfThreeIsFoundAlthoughTheMiddleOneIsFine() {
		this.history.add(KEY, "a:1", 10, 50, 1, 1);
		this.history.add(KEY, "b:1", 20, 30, 2, 2);
		this.history.add(KEY, "c:1", 40, 60, 3, 3);
		this.history.violations();
		assertThat(this.history.breaches()).containsEntry(Breach.OVERLAP, 2L);
	}

	@Test
	void tokenThatDoesNotGrowIsFound() {
		this.history.add(KEY, "a:1", 10, 20, 1, 5);
		this.history.add(KEY, "b:1", 20, 30, 5, 9);
		assertOnly(Breach.TOKEN);
	}

	@Test
	void tokenThatFallsBehindOneOfLongAgoIsFound() {
		this.history.add(KEY, "a:1", 10, 20, 7, 7);
		this.history.add(KEY, "b:1", 5_020, 5_030, 1, 1);
		assertOnly(Breach.TOKEN);
	}

	@Test
	void heldAfterLostIsFound() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 40, 1));
		this.history.add(HoldEvent.toldLost(KEY, "a:1", 20, 1));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 21, 1));
		assertOnly(Breach.HELD_AFTER_LOST);
	}

	@Test
	void heldAfterLostIsFoundAlthoughARenewalCameBetween() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 40, 1));
		this.history.add(HoldEvent.toldLost(KEY, "a:1", 40, 1));
		this.history.add(HoldEvent.extended(KEY, "a:1", 45, 80, 1));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 50, 1));
		assertOnly(Breach.HELD_AFTER_LOST);
	}

	@Test
	void heldPastItsDeadlineIsFound() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 40, 1));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 40, 1));
		assertOnly(Breach.HELD_PAST_DEADLINE);
	}

	@Test
	void heldAfterItsEndIsFound() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 40, 1));
		this.history.add(HoldEvent.ended(KEY, "a:1", 20, 1));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 30, 1));
		assertOnly(Breach.HELD_WITHOUT_LEASE);
	}

	@Test
	void orphanIsFound() {
		this.history.add(HoldEvent.asked(KEY, "a:1", 10));
		this.history.add(HoldEvent.seen(KEY, "a:1", 1_000));
		this.history.add(HoldEvent.givenUp(KEY, "a:1", 1_020, 100));
		this.history.add(HoldEvent.seen(KEY, "a:1", 1_120));
		this.history.add(HoldEvent.seen(KEY, "a:1", 1_121));
		assertOnly(Breach.ORPHAN);
	}

	@Test
	void orphanIsFoundLongAfterItsOwnerIdIsForgotten() {
		this.history.add(HoldEvent.asked(KEY, "a:0", 10));
		this.history.add(HoldEvent.givenUp(KEY, "a:0", 20, 100));
		for (long i = 1; i < 1_000; i++) {
			this.history.add(HoldEvent.asked(KEY, "a:" + i, 1_000 * i));
			this.history.add(HoldEvent.givenUp(KEY, "a:" + i, 1_000 * i + 10, 100));
		}
		assertThat(this.history.retained()).isLessThan(150);
		this.history.add(HoldEvent.seen(KEY, "a:0", 1_000_000));
		assertOnly(Breach.ORPHAN);
	}

	@Test
	void overlapOfAForgottenLeaseIsCountedOnceByItsCause() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 100, 1));
		this.history.add(HoldEvent.forgotten(KEY, "restart", 20, 25));
		this.history.add(HoldEvent.granted(KEY, "b:1", 30, 130, 2));
		this.history.add(HoldEvent.toldHeld(KEY, "a:1", 40, 1));
		this.history.add(HoldEvent.toldHeld(KEY, "b:1", 50, 2));
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.history.excused()).containsExactly(entry("restart", 1L));
	}

	@Test
	void tokensGrowEvenOverForgetting() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 100, 2));
		this.history.add(HoldEvent.forgotten(KEY, "restart", 20, 25));
		this.history.add(HoldEvent.granted(KEY, "b:1", 30, 130, 1));
		assertThat(this.history.breaches()).isEmpty();
		assertThat(this.history.violations()).isNotEmpty();
		assertThat(this.history.breaches()).containsKey(Breach.TOKEN);
	}

	@Test
	void holderMayLearnOfALeaseThatWasForgottenAfterTheNextOne() {
		this.history.add(KEY, "a:1", 1, 4, 1, 1);
		this.history.add(HoldEvent.forgotten(KEY, "deletion", 5, 40));
		this.history.add(HoldEvent.granted(KEY, "c:1", 20, 130, 4));
		this.history.add(HoldEvent.shared(KEY, "b:1", 30, 100, 2));
		this.history.add(HoldEvent.granted(KEY, "d:1", 35, 100, 3));
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.history.excused()).containsExactly(entry("deletion", 3L));
	}

	@Test
	void forgettingExcusesNoTokenThatWasToldBefore() {
		this.history.add(KEY, "a:1", 1, 4, 2, 2);
		this.history.add(HoldEvent.forgotten(KEY, "deletion", 5, 40));
		this.history.add(KEY, "b:1", 30, 33, 1, 1);
		assertOnly(Breach.TOKEN);
	}

	@Test
	void readersThatWereForgottenMayFollowEachOther() {
		this.history.add(HoldEvent.shared(KEY, "a:1", 1, 100, 3));
		this.history.add(HoldEvent.forgotten(KEY, "deletion", 5, 40));
		this.history.add(HoldEvent.granted(KEY, "b:1", 20, 130, 4));
		this.history.add(HoldEvent.shared(KEY, "c:1", 30, 100, 2));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void serverThatWasReplacedMayGrantSmallerTokensForAWhile() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 100, 2));
		this.history.add(HoldEvent.replaced(KEY, "switch over", 5, 120));
		this.history.add(HoldEvent.granted(KEY, "b:1", 20, 120, 1));
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.history.fenced()).isEqualTo(1);
		assertThat(this.history.excused()).containsExactly(entry("switch over", 1L));
	}

	@Test
	void serverThatWasReplacedMayHaveGrantedWhatAHolderLearnsOfLate() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 200, 2));
		this.history.add(HoldEvent.replaced(KEY, "switch over", 5, 120));
		this.history.add(HoldEvent.granted(KEY, "b:1", 119, 120, 1));
		assertThat(this.history.violations()).isEmpty();
	}

	@Test
	void serverThatTookItsPlaceMustNotGrantWhatOverlaps() {
		this.history.add(HoldEvent.replaced(KEY, "switch over", 5, 120));
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 121, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 20, 130, 2));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void serverThatWasReplacedMustNotGrantSmallerTokensForEver() {
		this.history.add(KEY, "a:1", 10, 20, 2, 2);
		this.history.add(HoldEvent.replaced(KEY, "switch over", 5, 39));
		this.history.add(KEY, "b:1", 30, 40, 1, 1);
		assertOnly(Breach.TOKEN);
	}

	@Test
	void noTokenIsGivenTwiceEvenByTwoServers() {
		this.history.add(KEY, "a:1", 10, 15, 1, 1);
		this.history.add(HoldEvent.replaced(KEY, "switch over", 5, 25));
		this.history.add(KEY, "b:1", 20, 24, 1, 1);
		assertOnly(Breach.TOKEN);
	}

	@Test
	void leasesFromAfterTheForgettingMustNotOverlap() {
		this.history.add(HoldEvent.forgotten(KEY, "restart", 20, 25));
		this.history.add(HoldEvent.granted(KEY, "a:1", 30, 100, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 40, 130, 2));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void whatWasForgottenAtOneKeyExcusesNothingAtAnother() {
		this.history.add(HoldEvent.forgotten("other", "deleted", 20, 25));
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 100, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 40, 130, 2));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void overlapBeforeTheForgettingIsFound() {
		this.history.add(HoldEvent.granted(KEY, "a:1", 10, 100, 1));
		this.history.add(HoldEvent.granted(KEY, "b:1", 20, 130, 2));
		this.history.add(HoldEvent.forgotten(KEY, "restart", 30, 35));
		assertOnly(Breach.OVERLAP);
	}

	@Test
	void eventThatComesTooLateIsFound() {
		this.history.add(KEY, "a:1", 10, 20, 1, 1);
		this.history.add(KEY, "b:1", 5_000, 5_010, 3, 3);
		this.history.add(KEY, "c:1", 12, 15, 2, 2);
		assertThat(this.history.violations()).isNotEmpty();
		assertThat(this.history.breaches()).containsKey(Breach.LATE_EVENT);
	}

	@Test
	void millionsOfEventsOutOfOrderAreJudgedWithoutKeepingThem() {
		Random random = new Random(7);
		int most = 0;
		int rounds = 300_000;
		for (int i = 0; i < rounds; i++) {
			String key = "k" + i % 10;
			long at = 100L * i;
			for (HoldEvent event : shuffled(life(key, "a:" + i, at, i + 1), random)) {
				this.history.add(event);
			}
			most = Math.max(most, (i % 1_000 == 0) ? this.history.retained() : 0);
		}
		assertThat(most).isBetween(20, 3_000);
		// one needle in the hay
		long instant = 100L * (rounds - 7) + 10;
		this.history.add("k3", "b:1", instant, instant + 1, rounds + 1, rounds + 1);
		assertOnly(Breach.OVERLAP);
		assertThat(this.history.grants()).isEqualTo(rounds + 1);
	}

	private static List<HoldEvent> life(String key, String ownerId, long at, long token) {
		return List.of(HoldEvent.asked(key, ownerId, at), HoldEvent.granted(key, ownerId, at + 5, at + 50, token),
				HoldEvent.toldHeld(key, ownerId, at + 20, token),
				HoldEvent.extended(key, ownerId, at + 30, at + 80, token), HoldEvent.seen(key, ownerId, at + 40),
				HoldEvent.ended(key, ownerId, at + 90, token), HoldEvent.givenUp(key, ownerId, at + 90, 100));
	}

	private static List<HoldEvent> shuffled(List<HoldEvent> events, Random random) {
		List<HoldEvent> copy = new ArrayList<>(events);
		Collections.shuffle(copy, random);
		return copy;
	}

	private void assertOnly(Breach breach) {
		assertThat(this.history.violations()).as("violations").isNotEmpty();
		assertThat(this.history.breaches()).containsOnlyKeys(breach);
		assertThat(this.history.breaches()).containsEntry(breach, 1L);
	}

}
