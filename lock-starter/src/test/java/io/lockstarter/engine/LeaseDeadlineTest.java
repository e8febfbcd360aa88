// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.RecordedEvents.Loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the deadline up to which a lease says that it is held.
 */
class LeaseDeadlineTest {

	private static final Duration TICK = Duration.ofNanos(1);

	private static final LockOptions UNRENEWED = LockOptions.defaults().withRenew(false);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	@Test
	void theDeadlineCountsFromBeforeTheCommandWasSent() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request();
		this.engine.tickMillis(1_500);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request.join().remaining()).isEqualTo(ManualEngine.TERM.minusMillis(1_500));
	}

	@Test
	void timeThatPassesWhileTheCommandIsBeingSentCountsToo() {
		this.store.acquires().answer((command) -> {
			this.engine.time().pause(Duration.ofMillis(700));
			return this.store.granted();
		});
		assertThat(this.engine.lease().remaining()).isEqualTo(ManualEngine.TERM.minusMillis(700));
	}

	@Test
	void aRenewalCountsFromBeforeItWasSent() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease();
		this.engine.tickMillis(10_000);
		this.engine.tickMillis(1_900);
		this.store.renewals().last().answer(List.of(true));
		assertThat(lease.remaining()).isEqualTo(ManualEngine.TERM.minusMillis(1_900));
	}

	@ParameterizedTest
	@CsvSource({ "10, 7900", "500, 493000", "30000, 29698000", "3600000, 3563998000" })
	void aPartOfTheTtlAndTwoMillisecondsAreKeptBack(long ttlMillis, long termMicros) {
		Lease lease = this.engine.lease(ManualEngine.KEY, UNRENEWED.withTtl(Duration.ofMillis(ttlMillis)));
		assertThat(lease.remaining()).isEqualTo(Duration.ofNanos(termMicros * 1_000));
	}

	@Test
	void theTtlIsCutToTheMillisecondsThatTheStoreCounts() {
		Lease lease = this.engine.lease(ManualEngine.KEY, UNRENEWED.withTtl(Duration.ofNanos(100_999_999)));
		assertThat(this.store.acquires().last().command().ttl()).isEqualTo(Duration.ofMillis(100));
		assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(97));
	}

	@Test
	void aLeaseIsHeldUpToItsDeadlineAndNotAtIt() {
		Lease lease = this.engine.lease(ManualEngine.KEY, UNRENEWED);
		this.engine.time().pause(ManualEngine.TERM.minus(TICK));
		assertThat(lease.isValid()).isTrue();
		assertThat(lease.remaining()).isEqualTo(TICK);
		this.engine.time().pause(TICK);
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remaining()).isZero();
	}

	@Test
	void aPausedProcessFindsItsLeaseInvalidBeforeAnyTimerRan() {
		Lease lease = this.engine.lease();
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(lease.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkValid).satisfies((lost) -> {
			assertThat(lost.key()).isEqualTo(ManualEngine.KEY);
			assertThat(lost.fencingToken()).isEqualTo(lease.fencingToken());
			assertThat(lost.lossCause()).isEqualTo(LossCause.EXPIRED);
		});
	}

	@Test
	void whoeverAsksAfterAPauseLearnsOfTheLossInAnyWay() {
		Lease first = this.engine.lease("a", UNRENEWED);
		Lease second = this.engine.lease("b", UNRENEWED);
		Lease third = this.engine.lease("c", UNRENEWED);
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(first.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(second::checkValid);
		assertThat(third.releaseAsync()).isCompletedWithValue(false);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(first, second, third);
	}

	@Test
	void aRenewalThatIsAnsweredAfterTheDeadlineRevivesNothing() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease();
		this.engine.tickMillis(10_000);
		this.engine.time().pause(ManualEngine.TERM.minusMillis(10_000));
		assertThat(lease.isValid()).isFalse();
		this.store.renewals().last().answer(List.of(true));
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remaining()).isZero();
		this.engine.tickMillis(60_000);
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.events().losses()).hasSize(1);
	}

	@Test
	void aRenewalThatIsAnsweredAfterTheDeadlineRevivesNothingAlthoughNobodyLooked() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease();
		this.engine.tickMillis(10_000);
		this.engine.time().pause(ManualEngine.TERM.minusMillis(10_000));
		this.store.renewals().last().answer(List.of(true));
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.events().losses()).extracting(Loss::cause).containsExactly(LossCause.EXPIRED);
	}

	@Test
	void anAnswerOutOfOrderDoesNotShortenTheDeadline() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease(ManualEngine.KEY, LockOptions.defaults().withTtl(Duration.ofSeconds(6)));
		this.engine.tickMillis(3_000);
		assertThat(this.store.renewals().count()).isEqualTo(2);
		this.engine.tickMillis(100);
		this.store.renewals().call(1).answer(List.of(true));
		// less 1 % and 2 ms
		Duration left = Duration.ofMillis(5_938 - 100);
		assertThat(lease.remaining()).isEqualTo(left);
		this.store.renewals().call(0).answer(List.of(true));
		assertThat(lease.remaining()).isEqualTo(left);
	}

	@Test
	void aLossIsToldOnceThoughManyNoticeIt() {
		List<LossCause> actions = new ArrayList<>();
		Lease lease = this.engine.lease(ManualEngine.KEY, UNRENEWED);
		lease.onLost(actions::add);
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remaining()).isZero();
		this.engine.tickMillis(60_000);
		lease.close();
		lease.close();
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.EXPIRED, false));
		assertThat(actions).containsExactly(LossCause.EXPIRED);
		lease.onLost(actions::add);
		assertThat(actions).hasSize(2);
	}

	@Test
	void anActionThatIsTakenBackDoesNotRun() {
		List<LossCause> actions = new ArrayList<>();
		Lease lease = this.engine.lease(ManualEngine.KEY, UNRENEWED);
		Consumer<LossCause> action = actions::add;
		Lease.Registration taken = lease.onLost(action);
		Lease.Registration kept = lease.onLost(action);
		taken.close();
		taken.close();
		this.engine.time().pause(ManualEngine.TERM);
		this.engine.tickMillis(60_000);
		assertThat(lease.isValid()).isFalse();
		assertThat(actions).containsExactly(LossCause.EXPIRED);
		kept.close();
	}

	@Test
	void aLossIsToldBeforeTheStoreGivesTheKeyToAnother() {
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsAs(truth);
		this.store.renewals().hold();
		Lease lease = this.engine.lease();
		while (this.engine.events().losses().isEmpty()) {
			assertThat(lease.isValid()).isTrue();
			this.engine.tickMillis(1);
		}
		assertThat(truth.acquire(other()).join()).isInstanceOf(Busy.class);
		this.engine.tickMillis(302);
		assertThat(truth.acquire(other()).join()).isInstanceOf(Acquired.class);
	}

	@Test
	void aLossIsToldAlthoughTheWatchdogIsStuck() {
		this.engine.time().stickWatchdog();
		Lease lease = this.engine.lease();
		this.engine.tick(ManualEngine.TERM.minus(TICK));
		assertThat(this.engine.events().losses()).isEmpty();
		this.engine.tick(TICK);
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.EXPIRED, false));
		assertThat(this.store.renewals().count()).isZero();
	}

	@Test
	void theLossOfOneLeaseLeavesTheOthersAlone() {
		Lease brief = this.engine.lease("brief", UNRENEWED.withTtl(Duration.ofMillis(500)));
		Lease kept = this.engine.lease("kept", LockOptions.defaults());
		Lease longer = this.engine.lease("longer", UNRENEWED.withTtl(Duration.ofSeconds(90)));
		this.engine.tickMillis(89_000);
		assertThat(brief.isValid()).isFalse();
		assertThat(kept.isValid()).isTrue();
		assertThat(longer.isValid()).isTrue();
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(brief);
		this.engine.tickMillis(1_000);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(brief, longer);
	}

	@Test
	void anAcquisitionThatIsAnsweredAfterItsTtlIsNotHeldAndIsReleased() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(ManualEngine.KEY,
				LockOptions.defaults().withTtl(Duration.ofMillis(500)).withWaitTime(Duration.ofMillis(450)));
		this.engine.time().pause(Duration.ofSeconds(2));
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(failure) -> assertThat(failure.isOutcomeUnknown()).isTrue());
		Acquire command = this.store.acquires().last().command();
		assertThat(this.store.releases().commands())
			.containsExactly(ManualEngine.orphan(ManualEngine.KEY, ManualEngine.INSTANCE, command.ownerId()));
	}

	@Test
	void whoHasTimeLeftAsksAgainWhenTheAnswerCameAfterTheTtl() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(ManualEngine.KEY,
				LockOptions.defaults().withTtl(Duration.ofMillis(500)));
		this.engine.tickMillis(493);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isNotDone();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request.join().remaining()).isEqualTo(Duration.ofMillis(493));
		assertThat(this.store.acquires().commands()).extracting(Acquire::ownerId).containsOnly("app:1");
		var unused = request.join().releaseAsync();
		assertThat(this.store.releases().commands()).extracting(Release::ownerId).containsExactly("app:1");
	}

	@Test
	void whoHasTimeLeftAsksAnewAfterTwoAnswersInARowThatCameAfterTheTtl() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(ManualEngine.KEY,
				LockOptions.defaults().withTtl(Duration.ofMillis(500)));
		this.engine.tickMillis(493);
		this.store.acquires().last().answer(this.store.granted());
		this.engine.tickMillis(493);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isNotDone();
		assertThat(this.store.acquires().count()).isEqualTo(2);
		assertThat(this.store.releases().commands())
			.containsExactly(ManualEngine.orphan(ManualEngine.KEY, ManualEngine.INSTANCE, "app:1"));
		this.engine.tickMillis(50);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request.join().isValid()).isTrue();
		assertThat(this.store.acquires().commands()).extracting(Acquire::ownerId)
			.containsExactly("app:1", "app:1", "app:2");
	}

	@Test
	void anAcquisitionThatIsAnsweredJustBeforeItsDeadlineIsHeldForTheRest() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(ManualEngine.KEY,
				UNRENEWED.withTtl(Duration.ofMillis(500)));
		this.engine.tickMillis(492);
		this.store.acquires().last().answer(this.store.granted());
		Lease lease = request.join();
		assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(1));
		this.engine.tickMillis(1);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(lease);
	}

	@Test
	void anExpiredLeaseIsReleasedAtTheStoreOnceHoweverOftenItIsClosed() {
		Lease lease = this.engine.lease(ManualEngine.KEY, UNRENEWED);
		this.engine.tick(ManualEngine.TERM);
		assertThat(this.store.releases().count()).isZero();
		lease.close();
		lease.close();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void aClosedLeaseIsNotHeldAndNotLost() {
		List<LossCause> actions = new ArrayList<>();
		Lease lease = this.engine.lease();
		lease.onLost(actions::add);
		lease.close();
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(lease::checkValid).withMessageContaining(ManualEngine.KEY);
		this.engine.tickMillis(60_000);
		assertThat(this.engine.events().losses()).isEmpty();
		assertThat(actions).isEmpty();
	}

	@Test
	void aReleaseThatFindsTheKeyTakenTellsTheLoss() {
		this.store.releases().answer((command) -> false);
		Lease lease = this.engine.lease();
		assertThat(lease.releaseAsync()).isCompletedWithValue(false);
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.TAKEN, false));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkValid);
	}

	@Test
	void whoWaitsForALostLeaseIsAskedForAtOnceUnderANewOwnerId() {
		Lease lost = this.engine.lease(ManualEngine.KEY, UNRENEWED);
		CompletableFuture<Lease> waiting = this.engine.request(ManualEngine.KEY,
				LockOptions.defaults().withWaitTime(Duration.ofMinutes(1)));
		this.engine.tick(ManualEngine.TERM);
		assertThat(lost.isValid()).isFalse();
		Lease next = waiting.join();
		assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
		assertThat(this.store.acquires().commands()).extracting(Acquire::ownerId).doesNotHaveDuplicates().hasSize(2);
		lost.close();
		assertThat(next.isValid()).isTrue();
	}

	private Acquire other() {
		return new Acquire(ManualEngine.KEY, "other", "other:1", ManualEngine.TTL, false, 1);
	}

}
