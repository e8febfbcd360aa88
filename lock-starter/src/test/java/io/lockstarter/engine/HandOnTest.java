// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.RecordedEvents.Loss;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what becomes of a key when its lease is released: passed on inside this JVM
 * or given back to the store.
 */
class HandOnTest {

	private static final String KEY = ManualEngine.KEY;

	private static final String INSTANCE = ManualEngine.INSTANCE;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofHours(1));

	private static final LockOptions UNRENEWED = PATIENT.withRenew(false);

	private static final int SLICE_MILLIS = 5;

	private static final Busy GONE = new Busy(null, Duration.ZERO);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private int commandsBefore;

	@BeforeEach
	void listen() {
		this.engine.startListening();
		this.commandsBefore = this.store.journal().size();
	}

	@Test
	void aReleaseWithNobodyWaitingGivesTheKeyBack() {
		Lease lease = this.engine.lease();
		assertThat(lease.releaseAsync()).isCompletedWithValue(true);
		assertThat(commands()).containsExactly(acquire(0), new Release(KEY, INSTANCE, acquire(0).ownerId(), false));
	}

	@Test
	void aReleaseWithSomebodyWaitingSendsNothing() {
		Lease first = this.engine.lease();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		assertThat(first.releaseAsync()).isCompletedWithValue(true);
		assertThat(second).isCompletedWithValueMatching(Lease::isValid);
		assertThat(first.isValid()).isFalse();
		assertThat(commands()).hasSize(1);
	}

	@Test
	void tokensGrowFromHolderToHolder() {
		List<CompletableFuture<Lease>> requests = requests(1_000, PATIENT);
		List<Long> tokens = new ArrayList<>();
		for (CompletableFuture<Lease> request : requests) {
			tokens.add(request.join().fencingToken());
			request.join().close();
		}
		tokens.add(this.engine.lease().fencingToken());
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void aBlockOfTokensThatIsUsedUpIsAskedForAgainByTheSameOwnerId() {
		this.store.acquires().answer((command) -> this.store.granted(3, false));
		List<CompletableFuture<Lease>> requests = requests(7, PATIENT);
		List<Long> tokens = new ArrayList<>();
		for (CompletableFuture<Lease> request : requests) {
			tokens.add(request.join().fencingToken());
			request.join().close();
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(commands()).hasSize(4).last().isInstanceOf(Release.class);
		assertThat(List.of(acquire(0), acquire(1), acquire(2))).extracting(Acquire::ownerId)
			.containsOnly(acquire(0).ownerId());
	}

	@Test
	void aBlockOfTokensThatWasUsedUpIsFollowedByOneOfTwiceItsSize() {
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), false));
		List<CompletableFuture<Lease>> requests = requests(100, PATIENT);
		requests.forEach((request) -> request.join().close());
		List<Acquire> acquires = this.store.acquires()
			.commands()
			.stream()
			.filter((command) -> command.key().equals(KEY))
			.toList();
		int first = acquires.get(0).tokens();
		assertThat(acquires).extracting(Acquire::tokens).startsWith(first, 2 * first).isSorted();
		assertThat(acquires).hasSizeLessThan(5);
	}

	@Test
	void nextTurnBeginsWithABlockOfTokensAsLargeAsTheLastOneWas() {
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), true));
		List<CompletableFuture<Lease>> requests = requests(100, PATIENT);
		int first = acquire(0).tokens();
		requests.subList(0, first + 1).forEach((request) -> request.join().close());
		assertThat(acquire(1).tokens()).isEqualTo(2 * first);
		nextTurn(requests.get(first + 1));
		assertThat(acquire(2).tokens()).as("after a turn with a few more than the first block").isEqualTo(2 * first);
		nextTurn(requests.get(first + 2));
		assertThat(acquire(3).tokens()).as("after a turn with one").isEqualTo(first);
		nextTurn(requests.get(first + 3));
		assertThat(acquire(4).tokens()).isEqualTo(first);
	}

	@Test
	void aTurnThatNeedsHalfOfItsTokensIsFollowedByOneWithAsMany() {
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), true));
		List<CompletableFuture<Lease>> requests = requests(100, PATIENT);
		int first = acquire(0).tokens();
		requests.subList(0, first).forEach((request) -> request.join().close());
		nextTurn(requests.get(first));
		assertThat(acquire(2).tokens()).isEqualTo(2 * first);
		requests.subList(first + 1, 2 * first).forEach((request) -> request.join().close());
		nextTurn(requests.get(2 * first));
		assertThat(acquire(3).tokens()).isEqualTo(2 * first);
	}

	private void nextTurn(CompletableFuture<Lease> holder) {
		this.engine.tickMillis(SLICE_MILLIS);
		holder.join().close();
		assertThat(commands()).last().isInstanceOf(Release.class);
		this.store.signals().reserved(KEY);
	}

	@Test
	void everyAcquisitionAsksForAToken() {
		this.engine.lease().close();
		assertThat(acquire(0).tokens()).isPositive();
	}

	// Is the hold good for the next one?

	@Test
	void whoIsNotRenewedGetsItsWholeTtl() {
		Lease first = this.engine.lease(KEY, UNRENEWED);
		CompletableFuture<Lease> second = this.engine.request(KEY, UNRENEWED);
		this.engine.tickMillis(1);
		first.close();
		assertThat(second.join().remaining()).isEqualTo(ManualEngine.TERM);
		assertThat(second.join().fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(commands()).containsExactly(acquire(0), acquire(1));
		assertThat(acquire(1).ownerId()).isEqualTo(acquire(0).ownerId());
	}

	@Test
	void whoIsRenewedGetsWhatIsLeftIfThatIsEnough() {
		Lease first = this.engine.lease(KEY, UNRENEWED);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(4_000);
		first.close();
		assertThat(second.join().remaining()).isEqualTo(ManualEngine.TERM.minusMillis(4_000));
		assertThat(commands()).hasSize(1);
	}

	@Test
	void whoeverStandsInTheQueueAgainSoonAsksWhetherTheNextOneCame() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS);
		requests.get(0).join().close();
		assertThat(commands()).hasSize(2).last().isInstanceOf(Release.class);
		this.engine.tickMillis(299);
		assertThat(commands()).hasSize(2);
		this.engine.tickMillis(1);
		assertThat(requests.get(1)).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void theStoreIsAskedOnceInAPollIntervalWhetherOthersWait() {
		List<CompletableFuture<Lease>> requests = requests(3, PATIENT);
		this.engine.tickMillis(4_999);
		requests.get(0).join().close();
		assertThat(commands()).hasSize(1);
		this.engine.tickMillis(1);
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), true));
		requests.get(1).join().close();
		assertThat(acquire(1).ownerId()).isEqualTo(acquire(0).ownerId());
		this.engine.tickMillis(SLICE_MILLIS);
		assertThat(commands()).hasSize(2);
		requests.get(2).join().close();
		assertThat(commands()).hasSize(3).last().isInstanceOf(Release.class);
	}

	@Test
	void whoIsRenewedGetsANewTtlIfTooLittleIsLeft() {
		Lease first = this.engine.lease(KEY, UNRENEWED);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(16_000);
		first.close();
		assertThat(second.join().remaining()).isEqualTo(ManualEngine.TERM);
		assertThat(acquire(1).ownerId()).isEqualTo(acquire(0).ownerId());
	}

	@Test
	void whoAsksForAnotherTtlGetsItUnderANewOwnerId() {
		Lease first = this.engine.lease();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT.withTtl(Duration.ofSeconds(60)));
		first.close();
		assertThat(second.join().remaining()).isEqualTo(Duration.ofMillis(59_398));
		assertThat(acquire(1).ttl()).isEqualTo(Duration.ofSeconds(60));
		assertThat(acquire(1).ownerId()).isNotEqualTo(acquire(0).ownerId());
		assertThat(commands()).containsExactly(acquire(0), new Release(KEY, INSTANCE, acquire(0).ownerId(), false),
				acquire(1));
	}

	@Test
	void aLeaseIsToldToBeTakenThoughTheNextOneAsksForAnotherTtl() {
		Lease first = this.engine.lease();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT.withTtl(Duration.ofSeconds(60)));
		this.store.releases().answer((command) -> false);
		assertThat(first.releaseAsync()).isCompletedWithValue(false);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(first);
		assertThat(second).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoAsksForTheTtlOfTheRegistryByNameNeedsNoCommand() {
		Lease first = this.engine.lease();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT.withTtl(ManualEngine.TTL.plusNanos(999)));
		first.close();
		assertThat(second).isCompleted();
		assertThat(commands()).hasSize(1);
	}

	@Test
	void aHoldThatIsProlongedButTakenWaitsForItsTurn() {
		Lease first = this.engine.lease(KEY, UNRENEWED);
		CompletableFuture<Lease> second = this.engine.request(KEY, UNRENEWED);
		this.engine.tickMillis(1);
		this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofSeconds(20)));
		first.close();
		assertThat(second).isNotDone();
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.signals().reserved(KEY);
		assertThat(second).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.store.acquires().last().command().ownerId()).isNotEqualTo(acquire(0).ownerId());
	}

	@Test
	void aHoldThatWasProlongedForNobodyIsGivenBack() {
		Lease first = this.engine.lease(KEY, UNRENEWED);
		CompletableFuture<Lease> second = this.engine.request(KEY, UNRENEWED);
		this.engine.tickMillis(1);
		this.store.acquires().hold();
		first.close();
		second.cancel(true);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(commands()).containsExactly(acquire(0), acquire(1),
				new Release(KEY, INSTANCE, acquire(0).ownerId(), false));
	}

	// Is it still ours?

	@Test
	void whoHeldItLastIsToldOnceIfTheStoreForgotWhatWasPassedOn() {
		List<CompletableFuture<Lease>> requests = requests(4, PATIENT);
		requests.get(0).join().close();
		this.engine.tickMillis(5_000);
		this.store.acquires().answer((command) -> command.held() ? GONE : this.store.granted());
		Lease last = requests.get(1).join();
		assertThat(last.releaseAsync()).isCompletedWithValue(true);
		assertThat(this.engine.events().losses()).containsExactly(new Loss(last, LossCause.TAKEN, false));
		this.engine.tickMillis(1);
		assertThat(List.of(acquire(0), acquire(1), acquire(2))).extracting(Acquire::held)
			.containsExactly(false, true, false);
		assertThat(requests.get(2).join().ownerId()).isNotEqualTo(last.ownerId()).isEqualTo(acquire(2).ownerId());
		requests.get(2).join().close();
		requests.get(3).join().close();
		assertThat(this.engine.events().losses()).hasSize(1);
	}

	@Test
	void whoHeldItLastIsToldThatItWasReleasedByForceIfThatIsKnown() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.engine.tickMillis(5_000);
		this.store.acquires().hold();
		Lease last = requests.get(0).join();
		last.close();
		this.store.connection().forced(KEY, last.ownerId());
		this.store.acquires().last().answer(GONE);
		assertThat(this.engine.events().losses()).extracting(Loss::cause).containsExactly(LossCause.FORCED);
	}

	@Test
	void whoHeldItLastIsToldIfNobodyKnowsWhetherItWasOurs() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.engine.tickMillis(5_000);
		this.store.acquires().fail(new LockStoreException("down", true, null));
		requests.get(0).join().close();
		assertThat(this.engine.events().unconfirmed()).containsExactly(requests.get(0).join());
		assertThat(this.engine.events().losses()).isEmpty();
		this.engine.tickMillis(5_000);
		assertThat(this.engine.events().unconfirmed()).as("nothing was passed on since").hasSize(1);
	}

	@Test
	void answerThatCameTooLateSaysThatItWasOurs() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.engine.tickMillis(5_000);
		this.store.acquires().hold();
		requests.get(0).join().close();
		this.engine.time().pause(ManualEngine.TTL);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(List.of(acquire(1), acquire(2))).extracting(Acquire::held).containsExactly(true, false);
		assertThat(acquire(2).ownerId()).isEqualTo(acquire(0).ownerId());
	}

	@Test
	void theNextRenewalFindsOutThoughTheKeyIsPassedOnMeanwhile() {
		ManualEngine patient = new ManualEngine(ManualEngine.settings().withPollInterval(Duration.ofMinutes(1)));
		patient.startListening();
		patient.store().acquires().answer((command) -> patient.store().granted(100, false));
		List<CompletableFuture<Lease>> requests = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			requests.add(patient.request(KEY, PATIENT));
		}
		patient.store().renewals().answer((commands) -> commands.stream().map((command) -> false).toList());
		for (CompletableFuture<Lease> request : requests.subList(0, 9)) {
			patient.tickMillis(1_000);
			request.join().close();
		}
		assertThat(patient.events().losses()).isEmpty();
		patient.tickMillis(1_000);
		assertThat(patient.events().losses()).extracting(Loss::lease).containsExactly(requests.get(9).join());
		assertThat(requests.get(10)).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoHasReleasedWhatWasPassedOnIsNotInterruptedByTheNewsOfItsLoss() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		List<LossCause> interrupts = new ArrayList<>();
		requests.get(0).join().onLost(interrupts::add);
		this.engine.tickMillis(5_000);
		this.store.acquires().answer((command) -> GONE);
		requests.get(0).join().close();
		assertThat(this.engine.events().losses()).hasSize(1);
		assertThat(interrupts).isEmpty();
	}

	@Test
	void whatWasAcquiredForNobodyIsNoLoss() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		request.cancel(true);
		this.store.releases().answer((command) -> false);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(this.engine.events().losses()).isEmpty();
	}

	// Others wait too

	@Test
	void aReleaseOfAKeyThatOthersWaitForSaysSo() {
		Lease lease = this.engine.lease();
		this.store.signals().contended(KEY);
		assertThat(lease.releaseAsync()).isCompletedWithValue(true);
		assertThat(this.store.releases().last().command())
			.isEqualTo(new Release(KEY, INSTANCE, acquire(0).ownerId(), Queueing.NONE, 1, true));
	}

	@Test
	void theKeyIsKeptWithinTheSliceAfterTheSignal() {
		List<CompletableFuture<Lease>> requests = requests(10, PATIENT);
		this.engine.tickMillis(60);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS - 1);
		for (CompletableFuture<Lease> request : requests.subList(0, 5)) {
			request.join().close();
		}
		assertThat(this.store.releases().commands()).noneMatch((command) -> command.key().equals(KEY));
		this.engine.tickMillis(1);
		requests.get(5).join().close();
		assertThat(this.store.releases().last().command())
			.isEqualTo(new Release(KEY, INSTANCE, acquire(0).ownerId(), true));
		assertThat(requests.get(6)).isNotDone();
	}

	@Test
	void theSliceIsNotProlongedByFurtherSignals() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		for (int i = 0; i < SLICE_MILLIS; i++) {
			this.store.signals().contended(KEY);
			this.engine.tickMillis(1);
		}
		requests.get(0).join().close();
		assertThat(requests.get(1)).isNotDone();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
	}

	@Test
	void theSliceIsNotProlongedByAskingForMore() {
		this.store.acquires().answer((command) -> this.store.granted(1, true));
		List<CompletableFuture<Lease>> requests = requests(10, PATIENT);
		for (int i = 0; i < SLICE_MILLIS; i++) {
			assertThat(requests.get(i + 1)).isNotDone();
			this.engine.tickMillis(1);
			requests.get(i).join().close();
		}
		assertThat(requests.get(SLICE_MILLIS)).isNotDone();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
	}

	@Test
	void theSliceBeginsWithTheAcquisitionIfOthersWaitThen() {
		this.store.acquires().answer((command) -> this.store.granted(100, true));
		List<CompletableFuture<Lease>> requests = requests(3, PATIENT);
		this.engine.tickMillis(SLICE_MILLIS - 1);
		requests.get(0).join().close();
		assertThat(requests.get(1)).isCompleted();
		this.engine.tickMillis(1);
		requests.get(1).join().close();
		assertThat(requests.get(2)).isNotDone();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
	}

	@Test
	void aSignalDuringTheAcquisitionCounts() {
		this.store.acquires().hold();
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS);
		this.store.acquires().last().answer(this.store.granted());
		requests.get(0).join().close();
		assertThat(requests.get(1)).isNotDone();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
	}

	@Test
	void aSignalDuringACommandThatFindsTheKeyBusyIsNotForTheNextLease() {
		this.store.acquires().hold();
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended(KEY);
		this.store.acquires().last().answer(new Busy("other:1", Duration.ofSeconds(20)));
		this.engine.tickMillis(SLICE_MILLIS);
		this.store.signals().reserved(KEY);
		this.store.acquires().last().answer(this.store.granted());
		requests.get(0).join().close();
		assertThat(requests.get(1)).as("nobody else waits any more").isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void aLongHoldWithinWhichTheSignalCameIsGivenBackAtItsEnd() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(60_000);
		assertThat(requests.get(0).join().isValid()).isTrue();
		requests.get(0).join().close();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
	}

	@Test
	void whoWaitsHereWhenTheKeyWasGivenBackGetsItByTheNextSignalWithALargerToken() {
		List<CompletableFuture<Lease>> requests = requests(3, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS);
		Lease first = requests.get(0).join();
		first.close();
		assertThat(requests.get(1)).isNotDone();
		this.engine.tickMillis(20);
		this.store.signals().reserved(KEY);
		Lease second = requests.get(1).join();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(acquire(1).ownerId()).isNotEqualTo(acquire(0).ownerId());
		second.close();
		assertThat(requests.get(2)).as("nobody else waits any more").isCompleted();
	}

	@Test
	void whoWaitsHereWhenTheKeyWasGivenBackGetsItThoughTheSignalIsLost() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS);
		requests.get(0).join().close();
		this.engine.tickMillis(5_000);
		assertThat(requests.get(1)).isCompleted();
	}

	@Test
	void aReleaseThatFoundNothingAsksAgainAtOnce() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS);
		this.store.releases().answer((command) -> false);
		requests.get(0).join().close();
		assertThat(requests.get(1)).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(requests.get(0).join());
	}

	@Test
	void theLastOneHereGivesTheKeyBackWithoutStandingInTheQueueAgain() {
		Lease lease = this.engine.lease();
		this.store.signals().contended(KEY);
		this.engine.tickMillis(SLICE_MILLIS);
		lease.close();
		assertThat(this.store.releases().last().command().requeue()).isFalse();
	}

	@Test
	void theKeyIsNeverGivenBackWhileNobodyElseWaits() {
		List<CompletableFuture<Lease>> requests = requests(100, PATIENT);
		for (CompletableFuture<Lease> request : requests.subList(0, 99)) {
			this.engine.tickMillis(1_000);
			request.join().close();
		}
		assertThat(this.store.releases().commands()).noneMatch((command) -> command.key().equals(KEY));
		assertThat(this.store.acquires().commands()).filteredOn((command) -> command.key().equals(KEY))
			.hasSizeLessThanOrEqualTo(99 / 5 + 1)
			.extracting(Acquire::ownerId)
			.containsOnly(acquire(0).ownerId());
		assertThat(requests.get(99)).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.engine.events().losses()).isEmpty();
	}

	@Test
	void whoeverStopsHearingSignalsAsksOnceInASliceWhetherOthersWait() {
		List<CompletableFuture<Lease>> requests = requests(4, PATIENT);
		this.store.signals().listening(false);
		requests.get(0).join().close();
		assertThat(requests.get(1)).isCompleted();
		assertThat(commands()).hasSize(1);
		this.engine.tickMillis(SLICE_MILLIS);
		requests.get(1).join().close();
		assertThat(requests.get(2)).as("nobody else waits").isCompletedWithValueMatching(Lease::isValid);
		assertThat(acquire(1).ownerId()).isEqualTo(acquire(0).ownerId());
		assertThat(commands()).hasSize(2);
		requests.get(2).join().close();
		assertThat(requests.get(3)).isCompletedWithValueMatching(Lease::isValid);
		assertThat(commands()).hasSize(2);
	}

	@Test
	void whoeverBeganToHearSignalsAfterItAskedAsksWhetherOthersWait() {
		this.store.signals().listening(false);
		List<CompletableFuture<Lease>> requests = requests(3, PATIENT);
		this.engine.tickMillis(1);
		this.store.signals().listening(true);
		this.engine.tickMillis(SLICE_MILLIS);
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), true));
		requests.get(0).join().close();
		assertThat(acquire(1).ownerId()).as("others may have come before it heard of them")
			.isEqualTo(acquire(0).ownerId());
		assertThat(requests.get(1)).as("the slice begins with the answer").isCompleted();
		this.engine.tickMillis(SLICE_MILLIS);
		requests.get(1).join().close();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
		assertThat(requests.get(2)).isNotDone();
	}

	@Test
	void whoeverHearsNoSignalsLetsOthersThatPollHaveTheirTurn() {
		List<CompletableFuture<Lease>> requests = requests(4, PATIENT);
		this.store.signals().listening(false);
		this.engine.tickMillis(SLICE_MILLIS);
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), true));
		requests.get(0).join().close();
		requests.get(1).join().close();
		assertThat(requests.get(2)).as("the slice begins with the answer").isCompleted();
		this.engine.tickMillis(SLICE_MILLIS);
		requests.get(2).join().close();
		assertThat(this.store.releases().last().command().requeue()).isTrue();
		this.engine.tickMillis(299);
		assertThat(requests.get(3)).as("longer than others take to poll").isNotDone();
		this.engine.tickMillis(1);
		assertThat(requests.get(3)).isCompleted();
	}

	@Test
	void aSignalForAnotherKeyChangesNothing() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.store.signals().contended("another");
		this.engine.tickMillis(SLICE_MILLIS);
		requests.get(0).join().close();
		assertThat(requests.get(1)).isCompleted();
	}

	@Test
	void aLostLeaseIsNotHandedOn() {
		List<CompletableFuture<Lease>> requests = requests(2, PATIENT);
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(requests.get(0).join().releaseAsync()).isCompletedWithValue(false);
		assertThat(requests.get(1)).isCompletedWithValueMatching(Lease::isValid);
		assertThat(acquire(1).ownerId()).isNotEqualTo(acquire(0).ownerId());
		assertThat(this.store.releases().last().command().ownerId()).isEqualTo(acquire(0).ownerId());
	}

	@Test
	void whoLosesTheLeaseWhileOthersAreKnownToWaitStandsBehindThem() {
		List<CompletableFuture<Lease>> requests = requests(3, PATIENT);
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(requests.get(0).join().isValid()).isFalse();
		assertThat(acquire(1).queued()).as("nobody else is known to wait").isFalse();
		this.store.signals().contended(KEY);
		this.store.renewals().fail(new LockStoreException("down", true, null));
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(requests.get(1).join().isValid()).isFalse();
		assertThat(acquire(2).queued()).isTrue();
		assertThat(acquire(2).enqueue()).isTrue();
	}

	@Test
	void theSliceEndsWithTheLossOfTheLease() {
		List<CompletableFuture<Lease>> requests = requests(3, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(requests.get(0).join().isValid()).isFalse();
		requests.get(1).join().close();
		assertThat(requests.get(2)).as("nobody else waits any more").isCompletedWithValueMatching(Lease::isValid);
	}

	private List<CompletableFuture<Lease>> requests(int count, LockOptions options) {
		List<CompletableFuture<Lease>> requests = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			requests.add(this.engine.request(KEY, options));
		}
		return requests;
	}

	private List<Object> commands() {
		return this.store.journal().subList(this.commandsBefore, this.store.journal().size());
	}

	private Acquire acquire(int index) {
		return this.store.acquires()
			.commands()
			.stream()
			.filter((command) -> command.key().equals(KEY))
			.toList()
			.get(index);
	}

}
