// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.simulation.Violation.Rule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChecksTest {

	private long now = World.MILLI;

	private final Checks checks = new Checks(() -> this.now);

	private final PlantedClock one = new PlantedClock(() -> this.now);

	private final PlantedClock other = new PlantedClock(() -> this.now);

	private final PlantedLease first = new PlantedLease("one:1", 10);

	private final PlantedLease second = new PlantedLease("other:1", 20);

	@Test
	void oneHolderAfterTheOtherIsRight() {
		this.checks.granted("one", this.one, this.first);
		this.now = 2 * World.MILLI;
		this.first.active = false;
		this.checks.step();
		this.checks.granted("other", this.other, this.second);
		this.second.active = false;
		this.checks.step();
		assertThat(rules()).isEmpty();
		assertThat(this.checks.isQuiet()).isTrue();
	}

	@Test
	void refusalThatSaysForHowLongIsRight() {
		this.checks.granted("one", this.one, this.first);
		Call call = new Call("acquire", "a0", this.other, List.of("k"), 100 * World.MILLI, Long.MAX_VALUE, 0);
		this.now = 200 * World.MILLI;
		this.checks.toldWhy(call, refusal(100, 190));
		this.checks.toldWhy(call, new LockNotAcquiredException("k", Duration.ZERO, List.of()));
		assertThat(rules()).isEmpty();
	}

	@Test
	void refusalThatSaysTooMuchIsFound() {
		this.checks.granted("one", this.one, this.first);
		Call call = new Call("acquire", "a0", this.other, List.of("k"), 100 * World.MILLI, Long.MAX_VALUE, 0);
		this.now = 200 * World.MILLI;
		this.checks.toldWhy(call, refusal(110, 190));
		this.checks.toldWhy(call, refusal(100, 300));
		this.checks.toldWhy(call, refusal(-1, 190));
		this.checks.toldWhy(call, refusal(100, -1));
		assertThat(rules()).containsExactly(Rule.MISTOLD, Rule.MISTOLD, Rule.MISTOLD, Rule.MISTOLD);
	}

	/**
	 * A release elsewhere grants it, by a name by which its process asks for it later.
	 */
	@Test
	void refusalMayCountFromWhenAServerHasTheLockForItsHolder() {
		Call call = new Call("acquire", "a0", this.other, List.of("k"), 100 * World.MILLI, Long.MAX_VALUE, 0);
		this.checks.seenAtServer("k", "one:1");
		this.now = 150 * World.MILLI;
		this.first.ownerSince = this.now;
		this.checks.seenAtServer("k", "one:1");
		this.checks.granted("one", this.one, this.first);
		this.now = 200 * World.MILLI;
		this.checks.toldWhy(call, refusal(100, 190));
		assertThat(rules()).isEmpty();
		this.checks.toldWhy(call, refusal(100, 300));
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void refusalThatCountsFromWhenAServerHadTheLockForAnotherIsFound() {
		Call call = new Call("acquire", "a0", this.other, List.of("k"), 100 * World.MILLI, Long.MAX_VALUE, 0);
		this.checks.seenAtServer("k", "other:1");
		this.checks.seenAtServer("another", "one:1");
		this.now = 130 * World.MILLI;
		this.first.ownerSince = this.now;
		this.checks.granted("one", this.one, this.first);
		this.now = 200 * World.MILLI;
		this.checks.toldWhy(call, refusal(100, 190));
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void extensionThatIsConfirmedLastsForTheTimeThatWasAskedFor() {
		Call call = new Call("extend", "a0", this.one, List.of("k"), this.now, Long.MAX_VALUE, 0);
		this.checks.toldExtended(call, this.first, true, 103 * World.MILLI);
		assertThat(rules()).isEmpty();
		this.checks.toldExtended(call, this.first, true, 120 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void extensionThatIsRefusedWhileTheLeaseIsHeldIsFound() {
		Call call = new Call("extend", "a0", this.one, List.of("k"), this.now, Long.MAX_VALUE, 0);
		this.checks.toldExtended(call, this.second.lost(LossCause.TAKEN), false, World.SECOND);
		assertThat(rules()).isEmpty();
		this.checks.toldExtended(call, this.first, false, World.SECOND);
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void releaseOfWhatWasLostThatSaysItWasHeldIsFound() {
		Call call = new Call("release", "a0", this.one, List.of("k"), this.now, Long.MAX_VALUE, 0);
		this.checks.toldReleased(call, this.first, true);
		this.checks.toldReleased(call, this.second.lost(LossCause.TAKEN), false);
		assertThat(rules()).isEmpty();
		this.checks.toldReleased(call, this.second, true);
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void onlyWhatCallersAreToldIsNoMistake() {
		assertThat(Instance.isTold(refusal(1, 1))).isTrue();
		assertThat(Instance.isTold(new LockStoreException("gone", true, null))).isTrue();
		assertThat(Instance.isTold(new CancellationException())).isTrue();
		assertThat(
				Instance.isTold(new IllegalStateException("The lock registry is shut down: it grants no more locks")))
			.isTrue();
		assertThat(Instance.isTold(new IllegalStateException("No lease"))).isFalse();
		assertThat(Instance.isTold(new NullPointerException())).isFalse();
		assertThat(Instance.isTold(null)).isFalse();
	}

	private static LockNotAcquiredException refusal(long waited, long heldFor) {
		return new LockNotAcquiredException("k",
				new Details(Duration.ofMillis(waited), List.of("one:1"), List.of(), Duration.ofMillis(heldFor), 0, ""));
	}

	@Test
	void twoHoldersWithinTheirDeadlinesAreFound() {
		this.checks.granted("one", this.one, this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void deadlineIsThatOfTheHoldersOwnClock() {
		this.first.deadline = 50 * World.MILLI;
		this.checks.granted("one", this.one, this.first);
		this.now = 60 * World.MILLI;
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).isEmpty();
		this.one.behind = 20 * World.MILLI;
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void leaseThatIsRevivedByALateRenewalIsFound() {
		this.checks.granted("one", this.one, this.first);
		this.now = 101 * World.MILLI;
		this.second.deadline = 200 * World.MILLI;
		this.checks.granted("other", this.other, this.second);
		this.checks.step();
		assertThat(rules()).isEmpty();
		this.first.deadline = 150 * World.MILLI;
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.EXCLUSION, Rule.REVIVED);
	}

	@Test
	void whatWasAskedForBeforeAnAssumptionWasBrokenMayOverlap() {
		this.checks.granted("one", this.one, this.first);
		this.checks.broken("k");
		this.now = 2 * World.MILLI;
		this.second.ownerSince = this.now;
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whatWasAskedForByAWrongClockMayOverlapWhenItIsRightAgain() {
		this.checks.unreliable(this.one);
		this.now = 2 * World.MILLI;
		this.first.ownerSince = this.now;
		this.now = 3 * World.MILLI;
		this.checks.reliable(this.one);
		this.now = 4 * World.MILLI;
		this.checks.granted("one", this.one, this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whatWasAskedForByAClockThatIsRightAgainMayNot() {
		this.checks.unreliable(this.one);
		this.checks.reliable(this.one);
		this.now = 2 * World.MILLI;
		this.first.ownerSince = this.now;
		this.checks.granted("one", this.one, this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void whatWasAskedForAfterItMayNot() {
		this.checks.broken("k");
		this.now = 2 * World.MILLI;
		this.first.ownerSince = this.now;
		this.second.ownerSince = this.now;
		this.checks.granted("one", this.one, this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void whileItIsBrokenAnythingMayOverlap() {
		this.checks.breaking("k");
		this.now = 2 * World.MILLI;
		this.first.ownerSince = this.now;
		this.checks.granted("one", this.one, this.first);
		this.now = 3 * World.MILLI;
		this.checks.mended("k");
		this.now = 4 * World.MILLI;
		this.second.ownerSince = this.now;
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseThatWasConfirmedAfterItMayNot() {
		this.checks.granted("one", this.one, this.first);
		this.checks.broken("k");
		this.now = 2 * World.MILLI;
		this.first.deadline = this.now + this.first.ttl();
		this.checks.step();
		this.second.ownerSince = this.now;
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
		assertThat(this.checks.isTainted(this.first)).isTrue();
	}

	@Test
	void assumptionThatWasBrokenBeforeALeaseWasAskedForExcusesNothing() {
		this.now = 2 * World.MILLI;
		this.first.ownerSince = this.now;
		this.second.ownerSince = this.now;
		this.checks.granted("one", this.one, this.first);
		this.checks.broken("k", World.MILLI);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void tokensBeginAnewIfTheClockIsSetBackAndMemoryLostAndGrowFromThen() {
		this.checks.granted("one", this.one, this.second);
		this.second.active = false;
		this.checks.step();
		this.checks.clockSetBack();
		this.checks.memoryLost();
		assertTokensGrowFromNow();
	}

	@Test
	void tokensOfAKeyBeginAnewIfTwoServersHandOutTheirFirstOnesAndGrowFromThen() {
		this.checks.granted("one", this.one, this.second);
		this.second.active = false;
		this.checks.step();
		this.now = World.MILLI;
		this.checks.tokensBeginAnew("k");
		assertTokensGrowFromNow();
	}

	/**
	 * Assert that a smaller token than before is none that is wrong, but that those which
	 * follow it grow.
	 */
	private void assertTokensGrowFromNow() {
		this.now = 2 * World.MILLI;
		this.first.ownerSince = this.now;
		this.checks.granted("other", this.other, this.first);
		this.first.active = false;
		this.checks.step();
		assertThat(rules()).isEmpty();
		PlantedLease smaller = new PlantedLease("one:2", this.first.token() - 1);
		smaller.ownerSince = this.now;
		this.checks.granted("one", this.one, smaller);
		assertThat(rules()).containsExactly(Rule.TOKEN_ORDER);
	}

	@Test
	void tokensThatDoNotGrowAreFound() {
		this.checks.granted("one", this.one, this.second);
		this.second.active = false;
		this.checks.step();
		this.checks.granted("other", this.other, this.first);
		assertThat(rules()).containsExactly(Rule.TOKEN_ORDER);
	}

	@Test
	void tokenThatIsGivenTwiceIsFoundWhateverIsBroken() {
		this.checks.granted("one", this.one, this.first);
		this.first.active = false;
		this.checks.step();
		this.checks.breaking("k");
		this.checks.granted("other", this.other, new PlantedLease("other:1", 10));
		assertThat(rules()).containsExactly(Rule.TOKEN_TWICE);
	}

	@Test
	void lossThatIsNotSeenIsFound() {
		this.checks.granted("one", this.one, this.first);
		this.now = 100 * World.MILLI + Checks.SLACK;
		this.checks.step();
		assertThat(rules()).isEmpty();
		this.now++;
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void whoIsPausedNeedNotSeeIt() {
		this.checks.granted("one", this.one, this.first);
		this.one.runsSince = Long.MAX_VALUE;
		this.now = World.SECOND;
		this.checks.step();
		this.one.runsSince = World.SECOND;
		this.now = World.SECOND + Checks.SLACK;
		this.checks.step();
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossThatNobodyIsToldOfIsFound() {
		this.first.renewed = false;
		this.checks.granted("one", this.one, this.first);
		this.now = 100 * World.MILLI;
		this.first.lost(LossCause.EXPIRED);
		this.checks.step();
		this.now += Checks.SLACK + 1;
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void lossThatIsToldIsRight() {
		this.first.renewed = false;
		this.checks.granted("one", this.one, this.first);
		this.first.lost(LossCause.EXPIRED);
		this.checks.step();
		this.checks.toldLost(this.first, LossCause.EXPIRED);
		this.now = World.SECOND;
		this.checks.step();
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossThatIsToldBeforeItIsSeenIsRight() {
		this.first.renewed = false;
		this.checks.granted("one", this.one, this.first);
		this.first.lost(LossCause.EXPIRED);
		this.checks.toldLost(this.first, LossCause.EXPIRED);
		this.checks.step();
		this.now = World.SECOND;
		this.checks.step();
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossWithoutAnyReasonIsFound() {
		this.checks.granted("one", this.one, this.first);
		this.first.lost(LossCause.TAKEN);
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS);
	}

	@Test
	void expiryOfARenewedLeaseNeedsADisturbance() {
		this.checks.granted("one", this.one, this.first);
		this.checks.disturbed("one", 50 * World.MILLI);
		this.now = 100 * World.MILLI;
		this.first.lost(LossCause.EXPIRED);
		this.checks.step();
		this.checks.toldLost(this.first, LossCause.EXPIRED);
		assertThat(rules()).isEmpty();
		this.now = 10 * World.SECOND;
		this.second.deadline = 11 * World.SECOND;
		this.checks.granted("one", this.one, this.second);
		this.second.lost(LossCause.EXPIRED);
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS);
	}

	@Test
	void lossThatIsToldAfterTheReleaseNeedsADeadlineThatHasPassed() {
		this.checks.granted("one", this.one, this.first);
		this.first.active = false;
		this.checks.step();
		this.now = 100 * World.MILLI;
		this.checks.toldLost(this.first, LossCause.TAKEN);
		assertThat(rules()).isEmpty();
		this.now = 99 * World.MILLI;
		this.checks.toldLost(this.first, LossCause.TAKEN);
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS);
	}

	@Test
	void grantWithinAMinimumHoldIsFound() {
		this.checks.kept("k", 2 * World.MILLI);
		this.checks.granted("one", this.one, this.first);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void waiterWhomNobodyWantsIsFound() {
		this.checks
			.begun(new Call("acquire", "a", this.one, List.of("k"), this.now, 200 * World.MILLI, 600 * World.MILLI));
		this.checks.cancelled(this.one, 1);
		assertThat(rules()).isEmpty();
		this.checks.cancelled(this.one, 2);
		assertThat(rules()).containsExactly(Rule.LEFTOVER);
	}

	@Test
	void callThatDoesNotEndIsFound() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), this.now, 200 * World.MILLI, 600 * World.MILLI);
		this.checks.begun(call);
		this.now = 600 * World.MILLI + Checks.SLACK;
		this.checks.step();
		assertThat(rules()).isEmpty();
		this.now++;
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.CALL_WITHOUT_END);
	}

	@Test
	void whoIsToldThatAFreeKeyIsBusyIsFound() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		this.checks.seenAtServer("k");
		this.now = 6 * World.MILLI;
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).containsExactly(Rule.FALSE_BUSY);
	}

	@Test
	void whoIsToldThatAKeyAtTheServerIsBusyIsToldRight() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		this.now = 6 * World.MILLI;
		this.checks.seenAtServer("k");
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whoIsToldThatAKeyIsBusyThatIsTakenNowIsToldRight() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		this.now = 6 * World.MILLI;
		this.checks.toldBusy(call, "k", 0, () -> true);
		assertThat(rules()).isEmpty();
	}

	@Test
	void commandThatMayBeUnderWayExplainsABusyKeyToItsOwnProcess() {
		Call before = new Call("acquire", "b", this.one, List.of("k"), 0, World.SECOND, 600 * World.MILLI);
		this.checks.unanswered(before, 5 * World.MILLI);
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		this.now = 6 * World.MILLI;
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).isEmpty();
		Call elsewhere = new Call("acquire", "a", this.other, List.of("k"), 5 * World.MILLI, World.SECOND,
				600 * World.MILLI);
		this.checks.toldBusy(elsewhere, "k", 0, () -> false);
		Call later = new Call("acquire", "a", this.one, List.of("k"), 6 * World.MILLI, World.SECOND, 600 * World.MILLI);
		this.checks.toldBusy(later, "k", 0, () -> false);
		assertThat(rules()).containsExactly(Rule.FALSE_BUSY, Rule.FALSE_BUSY);
	}

	@Test
	void ownerIdThatLostItsKeyByForceMayBeToldLaterOnce() {
		this.checks.forced("k", this.first.ownerId());
		this.checks.granted("one", this.one, this.first);
		lose(this.first, LossCause.FORCED);
		assertThat(rules()).isEmpty();
		PlantedLease again = new PlantedLease(this.first.ownerId(), 30);
		this.checks.granted("one", this.one, again);
		lose(again, LossCause.FORCED);
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS);
	}

	@Test
	void ownerIdThatLostItsKeyByForceMayBeToldAfterItsRelease() {
		this.checks.forced("k", this.first.ownerId());
		this.checks.granted("one", this.one, this.first);
		this.first.active = false;
		this.checks.step();
		this.checks.toldLost(this.first, LossCause.FORCED);
		assertThat(rules()).isEmpty();
		this.checks.toldLost(this.first, LossCause.FORCED);
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS);
	}

	@Test
	void forceExplainsNoOtherLoss() {
		this.checks.forced("another", this.first.ownerId());
		this.checks.forced("k", this.second.ownerId());
		this.checks.granted("one", this.one, this.first);
		lose(this.first, LossCause.FORCED);
		this.checks.granted("other", this.other, this.second);
		lose(this.second, LossCause.TAKEN);
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS, Rule.FALSE_LOSS);
	}

	@Test
	void newsOfForceThatComesMuchTooLateIsFound() {
		this.checks.forced("k", this.first.ownerId());
		this.now += 5 * World.SECOND + 1;
		this.first.deadline = 6 * World.SECOND;
		this.checks.granted("one", this.one, this.first);
		lose(this.first, LossCause.FORCED);
		assertThat(rules()).containsExactly(Rule.FALSE_LOSS);
	}

	@Test
	void lossOfWhichAnActionIsNotToldIsFound() {
		this.checks.broken("k");
		this.checks.granted("one", this.one, this.first);
		Objects.requireNonNull(this.checks.grant(this.first)).hasAction = true;
		lose(this.first, LossCause.TAKEN);
		this.checks.acted(this.first);
		this.checks.granted("other", this.other, this.second);
		Objects.requireNonNull(this.checks.grant(this.second)).hasAction = true;
		lose(this.second, LossCause.TAKEN);
		this.now += World.SECOND;
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void lossByForceThatIsToldAsAnotherIsFound() {
		this.checks.forceRemembered("k", this.first.ownerId(), Long.MAX_VALUE);
		this.checks.forceRemembered("k", this.second.ownerId(), Long.MAX_VALUE);
		this.checks.granted("one", this.one, this.first);
		this.checks.broken("another");
		this.checks.forcing("k");
		lose(this.first, LossCause.TAKEN);
		this.checks.granted("other", this.other, this.second);
		this.second.active = false;
		this.checks.step();
		this.checks.toldLost(this.second, LossCause.TAKEN);
		this.checks.forcingEnds("k");
		assertThat(rules()).containsExactly(Rule.MISTOLD, Rule.MISTOLD);
	}

	@Test
	void lossByForceIsNotToldAsSuchIfItIsForgottenOrEndsBefore() {
		this.checks.forceRemembered("k", this.first.ownerId(), Long.MAX_VALUE);
		this.checks.forceRemembered("k", this.second.ownerId(), Long.MAX_VALUE);
		this.checks.granted("one", this.one, this.first);
		this.checks.forcing("k");
		lose(this.first, LossCause.EXPIRED);
		this.checks.granted("other", this.other, this.second);
		this.checks.broken("k");
		lose(this.second, LossCause.TAKEN);
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossByForceThatIsToldLateMayBeForgotten() {
		this.checks.forceRemembered("k", this.first.ownerId(), this.now + 100);
		this.checks.granted("one", this.one, this.first);
		this.checks.forcing("k");
		this.now += 101;
		lose(this.first, LossCause.TAKEN);
		assertThat(rules()).isEmpty();
	}

	@Test
	void lockOfOneWhoWasToldThatNothingWasDoneIsFoundOnce() {
		this.checks.hadNoEffect("k", "one:1");
		this.checks.hadNoEffect("k", "one:2");
		this.checks.asked("k", "one:2");
		this.checks.found("s", "k", "one:2");
		this.checks.found("s", "k", "one:3");
		this.checks.found("s", "another", "one:1");
		assertThat(rules()).isEmpty();
		this.checks.found("s", "k", "one:1");
		this.checks.found("s", "k", "one:1");
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	private void lose(PlantedLease lease, LossCause cause) {
		this.checks.toldLost(lease.lost(cause), cause);
		this.checks.step();
	}

	@Test
	void thoseWhoShareAKeyMayOverlap() {
		this.first.shared = true;
		this.second.shared = true;
		this.checks.granted("one", this.one, this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whoSharesAKeyWithOneWhoHasItAloneIsFound() {
		this.second.shared = true;
		this.checks.granted("one", this.one, this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).containsExactly(Rule.EXCLUSION);
	}

	@Test
	void whoGoesOnSharingMayOverlap() {
		this.second.shared = true;
		this.checks.granted("one", this.one, this.first);
		this.checks.shares(this.first);
		this.checks.granted("other", this.other, this.second);
		assertThat(rules()).isEmpty();
	}

	@Test
	void sharedTokenThatIsNotLargerThanAnExclusiveOneBeforeIsFound() {
		PlantedLease late = new PlantedLease("other:2", 15);
		late.shared = true;
		this.second.active = false;
		this.checks.granted("one", this.one, this.second);
		this.checks.step();
		this.checks.granted("other", this.other, late);
		assertThat(rules()).containsExactly(Rule.TOKEN_ORDER);
	}

	@Test
	void whoWouldShareAKeyThatOnlyOthersShareIsToldFalselyThatItIsBusy() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		call.shared = true;
		this.first.shared = true;
		this.now = 6 * World.MILLI;
		this.checks.granted("other", this.other, this.first);
		this.checks.seenAtServer("k");
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).containsExactly(Rule.FALSE_BUSY);
	}

	@Test
	void whoWouldShareAKeyOfWhichNobodyKnowsWhetherItIsSharedIsToldRight() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		call.shared = true;
		this.checks.granted("other", this.other, this.first);
		this.now = 4 * World.MILLI;
		this.checks.shares(this.first);
		this.now = 6 * World.MILLI;
		this.checks.step();
		this.checks.mayNotShare(this.second);
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).containsExactly(Rule.FALSE_BUSY);
		this.checks.mayNotShare(this.first);
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).hasSize(1);
	}

	@Test
	void whoWouldShareAKeyThatOneHasAloneIsToldRight() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		call.shared = true;
		this.now = 6 * World.MILLI;
		this.checks.seenAlone("k");
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whoWouldShareAKeyAndLosesAVoteByForceIsToldRight() {
		Call call = new Call("acquire", "a", this.one, List.of("k"), 5 * World.MILLI, World.SECOND, 600 * World.MILLI);
		call.shared = true;
		this.checks.voteForced("k");
		this.now = 6 * World.MILLI;
		this.checks.voteForced("another");
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).containsExactly(Rule.FALSE_BUSY);
		this.checks.voteForced("k");
		this.checks.toldBusy(call, "k", 0, () -> false);
		assertThat(rules()).hasSize(1);
	}

	@Test
	void readerThatPassesAWriterIsFound() {
		sharedWhileAWriterWaits();
		this.now = 500 * World.MILLI;
		this.second.shared = true;
		this.checks.granted("other", this.other, this.second);
		this.checks.joined(reader(), this.second, 0, 0);
		assertThat(rules()).containsExactly(Rule.OVERTAKEN);
	}

	@Test
	void readersOfAProcessWhoseTurnItIsPassNobodyForASlice() {
		sharedWhileAWriterWaits();
		this.now = 2 * World.SECOND;
		this.second.shared = true;
		this.second.ownerSince = this.now;
		this.checks.granted("other", this.other, this.second);
		PlantedLease third = new PlantedLease(this.second.ownerId(), 30);
		third.ownerSince = this.now;
		this.now += 200 * World.MILLI;
		this.checks.joined(reader(), third, 0, 0);
		assertThat(rules()).isEmpty();
		this.now += 200 * World.MILLI;
		this.checks.joined(reader(), third, 0, 0);
		assertThat(rules()).containsExactly(Rule.OVERTAKEN);
	}

	@Test
	void writerBehindAReaderOfItsProcessComesToTheQueueWhenThatOneGivesUp() {
		Call ahead = reader(this.one);
		this.checks.begun(ahead);
		sharedWhileAWriterWaits();
		this.now = 2 * World.SECOND;
		this.checks.ended(ahead);
		this.second.shared = true;
		this.second.ownerSince = this.now;
		this.now += 300 * World.MILLI;
		this.checks.joined(reader(), this.second, 0, 0);
		assertThat(rules()).isEmpty();
		this.now++;
		this.checks.joined(reader(), this.second, 0, 0);
		assertThat(rules()).containsExactly(Rule.OVERTAKEN);
	}

	@Test
	void writerInFrontOfAReaderOfItsProcessIsInTheQueueBefore() {
		sharedWhileAWriterWaits();
		this.now += World.MILLI;
		Call behind = reader(this.one);
		this.checks.begun(behind);
		this.now = 2 * World.SECOND;
		this.checks.ended(behind);
		this.second.shared = true;
		this.second.ownerSince = this.now;
		this.checks.joined(reader(), this.second, 0, 0);
		assertThat(rules()).containsExactly(Rule.OVERTAKEN);
	}

	@Test
	void readerThatTakesTheTurnOfAWriterIsFound() {
		sharedWhileAWriterWaits();
		this.now = 2 * World.SECOND;
		this.second.shared = true;
		this.second.ownerSince = this.now;
		this.checks.joined(reader(), this.second, 0, 0);
		assertThat(rules()).containsExactly(Rule.OVERTAKEN);
	}

	@Test
	void morePermitsThanTheLimitAreFound() {
		this.checks.permits("p", 1);
		this.checks.granted("one", this.one, slot(this.first, 0));
		this.checks.step();
		assertThat(rules()).isEmpty();
		this.checks.granted("other", this.other, slot(this.second, 1));
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.LIMIT);
	}

	@Test
	void permitWhoseDeadlineHasPassedDoesNotCount() {
		this.checks.permits("p", 1);
		this.first.deadline = 2 * World.MILLI;
		this.checks.granted("one", this.one, slot(this.first, 0));
		this.now = 2 * World.MILLI;
		this.checks.granted("other", this.other, slot(this.second, 1));
		this.checks.step();
		assertThat(rules()).isEmpty();
	}

	@Test
	void whoIsToldThatAllPermitsAreTakenAlthoughOneIsFreeIsFound() {
		Call call = new Call("acquirePermit", "a", this.one, PermitPlan.slots("p", 2), 5 * World.MILLI, World.SECOND,
				600 * World.MILLI);
		this.now = 6 * World.MILLI;
		this.checks.seenAtServer("permit:p:0");
		this.checks.toldAllTaken(call);
		assertThat(rules()).containsExactly(Rule.FALSE_BUSY);
	}

	@Test
	void whoIsToldThatAllPermitsAreTakenIsToldRightIfEachWasForAWhile() {
		Call call = new Call("acquirePermit", "a", this.one, PermitPlan.slots("p", 2), 5 * World.MILLI, World.SECOND,
				600 * World.MILLI);
		this.now = 6 * World.MILLI;
		this.checks.seenAtServer("permit:p:0");
		this.now = 7 * World.MILLI;
		this.checks.seenAtServer("permit:p:1");
		this.checks.toldAllTaken(call);
		assertThat(rules()).isEmpty();
	}

	private void sharedWhileAWriterWaits() {
		Call writer = new Call("acquire", "a", this.one, List.of("k"), this.now, World.SECOND, 600 * World.MILLI);
		this.checks.begun(writer);
		this.first.shared = true;
		this.checks.granted("other", this.other, this.first);
	}

	private Call reader() {
		return reader(this.other);
	}

	private Call reader(Clock clock) {
		Call reader = new Call("acquire", "b", clock, List.of("k"), this.now, World.SECOND, 600 * World.MILLI);
		reader.shared = true;
		return reader;
	}

	private static PlantedLease slot(PlantedLease lease, int slot) {
		lease.key = "permit:p:" + slot;
		return lease;
	}

	private List<Rule> rules() {
		return this.checks.violations().stream().map(Violation::rule).toList();
	}

}
