// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.ScriptedStore.Call;
import io.lockstarter.store.LockStore.AcquireReply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for commands whose outcome is not known, and for those that are known to have
 * failed.
 */
class UnknownOutcomeTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(5));

	private static final LockOptions ONCE = PATIENT.withWaitTime(Duration.ZERO);

	private static final int COMMAND_TIMEOUT = 2_000;

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	// Acquire

	@Test
	void whatIsLeftIsRepeatedRarelyWhileTheStoreIsNotReached() {
		LockStoreException down = new LockStoreException("down", true, null);
		this.store.acquires().fail(down);
		this.store.releases().fail(down);
		CompletableFuture<Lease> request = this.engine.request("a", LockOptions.defaults());
		request.cancel(false);
		this.engine.tick(Duration.ofMinutes(5));
		int repeated = this.store.releases().count();
		assertThat(repeated).isLessThan(20);
		this.store.releases().answer((command) -> true);
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.store.releases().count()).isEqualTo(repeated + 1);
	}

	@Test
	void anAcquisitionThatIsNotAnsweredEndsAtTheCommandTimeoutWithAnUnknownOutcome() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		LockStoreException failure = failure(request);
		assertThat(failure.isOutcomeUnknown()).isTrue();
		assertThat(failure).hasMessageContaining(KEY).hasMessageContaining("2000 ms");
		assertThat(this.store.acquires().last().isCancelled()).isTrue();
		assertThat(this.store.acquires().count()).isOne();
	}

	@Test
	void anAcquirerThatTriesOnceWaitsForTheAnswerForTheCommandTimeout() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ZERO));
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(failure(request).isOutcomeUnknown()).isTrue();
	}

	@Test
	void aBriefWaiterWaitsForTheAnswerForTheCommandTimeoutToo() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofMillis(100)));
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(failure(request).isOutcomeUnknown()).isTrue();
	}

	@Test
	void aBriefWaiterGetsTheKeyThoughTheAnswerComesAfterItsWait() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofMillis(90)));
		CompletableFuture<Lease> behind = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofMillis(90)));
		this.engine.tickMillis(400);
		assertThat(behind).isNotDone();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
		assertThat(behind).as("the key is busy, and its time is over").isCompletedExceptionally();
	}

	@Test
	void theKeyThatAWaiterGaveUpIsReleasedWhenTheAnswerComes() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofMillis(100)));
		this.engine.tickMillis(200);
		request.cancel(false);
		this.store.acquires().last().answer(this.store.granted());
		Acquire command = this.store.acquires().last().command();
		assertThat(this.store.releases().commands())
			.containsExactly(new Release(KEY, ManualEngine.INSTANCE, command.ownerId(), false));
	}

	@Test
	void exactlyTheOwnerIdThatMayHoldTheKeyIsReleased() {
		Acquire unanswered = letAnAcquisitionTimeOut();
		assertThat(this.store.releases().commands())
			.containsExactly(ManualEngine.orphan(KEY, ManualEngine.INSTANCE, unanswered.ownerId()));
	}

	@Test
	void theReleaseComesBeforeTheNextAcquisition() {
		Acquire unanswered = letAnAcquisitionTimeOut();
		this.engine.lease();
		assertThat(this.store.journal()).satisfiesExactly((first) -> assertThat(first).isEqualTo(unanswered),
				(second) -> assertThat(second).isInstanceOf(Release.class),
				(third) -> assertThat(third).isInstanceOfSatisfying(Acquire.class,
						(command) -> assertThat(command.ownerId()).isNotEqualTo(unanswered.ownerId())));
	}

	@Test
	void theReleaseIsRepeatedAsLongAsTheAcquisitionMayStillBeExecuted() {
		this.store.releases().answer((command) -> false);
		letAnAcquisitionTimeOut();
		assertThat(this.store.releases().count()).isOne();
		this.engine.tickMillis(50);
		assertThat(this.store.releases().count()).isEqualTo(2);
		this.engine.tickMillis(1_000);
		assertThat(this.store.releases().count()).isBetween(4, 8);
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.store.releases().count()).isBetween(8, 60);
		this.engine.tick(ManualEngine.TTL);
		int releases = this.store.releases().count();
		this.engine.tick(ManualEngine.TTL.multipliedBy(2));
		assertThat(this.store.releases().count()).isEqualTo(releases);
		assertThat(this.store.releases().commands()).containsOnly(this.store.releases().call(0).command());
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void theReleaseEndsWhenItFoundTheKeyHeld() {
		letAnAcquisitionTimeOut();
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void theReleaseIsRepeatedAsSoonAsTheStoreAnswersAnything() {
		int before = letAReleaseFailForAWhile();
		this.store.releases().answer((command) -> true);
		answerSomethingElse("one");
		assertThat(this.store.releases().count()).isEqualTo(before + 1);
		answerSomethingElse("two");
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.store.releases().count()).isEqualTo(before + 1);
		assertThat(this.store.releases().commands()).containsOnly(this.store.releases().call(0).command());
	}

	@Test
	void aStoreThatAnswersButRefusesTheReleaseIsNotFlooded() {
		int before = letAReleaseFailForAWhile();
		answerSomethingElse("one");
		answerSomethingElse("two");
		answerSomethingElse("three");
		assertThat(this.store.releases().count()).isEqualTo(before + 1);
	}

	@Test
	void anAcquisitionThatIsExecutedAfterTheFirstAnswerIsReleasedSoon() {
		int before = letAReleaseFailForAWhile();
		this.store.releases().answer((command) -> false);
		answerSomethingElse("one");
		assertThat(this.store.releases().count()).isEqualTo(before + 1);
		this.store.releases().answer((command) -> true);
		this.engine.tickMillis(50);
		assertThat(this.store.releases().count()).isEqualTo(before + 2);
	}

	/**
	 * Long enough that it would not be repeated soon.
	 */
	private int letAReleaseFailForAWhile() {
		this.store.releases().fail(new LockStoreException("unreachable", false, null));
		letAnAcquisitionTimeOut();
		this.engine.tickMillis(8_000);
		return this.store.releases().count();
	}

	private void answerSomethingElse(String key) {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(key, PATIENT);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isCompleted();
		this.engine.tick(Duration.ZERO);
	}

	@Test
	void aLongTtlDoesNotMakeTheReleaseAFlood() {
		this.store.releases().answer((command) -> false);
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE.withTtl(Duration.ofDays(1)));
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(request).isCompletedExceptionally();
		this.engine.tick(Duration.ofDays(2));
		assertThat(this.store.releases().count()).isBetween(10, 40);
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void theReleaseIsRepeatedInEachQuarterOfALongTtl() {
		this.store.releases().answer((command) -> false);
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE.withTtl(Duration.ofDays(1)));
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(request).isCompletedExceptionally();
		for (int quarter = 0; quarter < 4; quarter++) {
			int before = this.store.releases().count();
			this.engine.tick(Duration.ofHours(6));
			assertThat(this.store.releases().count()).isGreaterThan(before);
		}
	}

	@Test
	void anAcquisitionThatIsExecutedAfterItWasGivenUpIsReleased() {
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsAs(truth);
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT + 500);
		assertThat(request).isCompletedExceptionally();
		assertThat(truth.acquire(this.store.acquires().last().command()).join()).isInstanceOf(Acquired.class);
		this.engine.tickMillis(1_000);
		assertThat(MemoryStores.size(truth)).isZero();
	}

	@Test
	void anAnswerThatComesAfterTheAcquisitionWasGivenUpChangesNothing() {
		letAnAcquisitionTimeOut();
		this.store.acquires().hold();
		CompletableFuture<Lease> next = this.engine.request(KEY, PATIENT);
		this.store.acquires().call(0).answer(this.store.granted());
		assertThat(next).isNotDone();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(next).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void allWhoWaitAreToldAtTheEndOfTheirTimeThatTheStoreDoesNotAnswer() {
		this.store.acquires().hold();
		LockOptions fiveSeconds = PATIENT.withWaitTime(Duration.ofSeconds(5));
		List<CompletableFuture<Lease>> requests = Stream.generate(() -> this.engine.request(KEY, fiveSeconds))
			.limit(5)
			.toList();
		this.engine.tickMillis(4_999);
		assertThat(requests).noneMatch(CompletableFuture::isDone);
		this.engine.tickMillis(101);
		assertThat(requests).allSatisfy((request) -> assertThat(failure(request).isOutcomeUnknown()).isTrue());
	}

	@Test
	void aTimedOutAcquisitionMayHaveEnqueuedSoTheQueueIsLeft() {
		this.engine.startListening();
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(COMMAND_TIMEOUT);
		request.cancel(false);
		assertThat(this.store.leaves().commands()).containsExactly(new ScriptedStore.Leave(KEY, ManualEngine.INSTANCE));
	}

	static Stream<RuntimeException> unknownFailures() {
		return Stream.of(new LockStoreException("reset", true, null), new IllegalStateException("closed"));
	}

	@ParameterizedTest
	@MethodSource("unknownFailures")
	void anUnknownFailureIsToldAndReleased(RuntimeException failure) {
		this.store.acquires().fail(failure);
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(failure(request).isOutcomeUnknown()).isTrue();
		assertThat(this.store.releases().commands()).contains(releaseOf(this.store.acquires().last()));
	}

	@ParameterizedTest
	@MethodSource("unknownFailures")
	void aStoreThatThrowsInsteadOfFailingIsTakenForTheSame(RuntimeException failure) {
		this.store.acquires().throwAtOnce(failure);
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(failure(request).isOutcomeUnknown()).isTrue();
		assertThat(this.store.releases().commands()).contains(releaseOf(this.store.acquires().last()));
	}

	@Test
	void aKnownRefusalIsToldAndNothingIsReleased() {
		LockStoreException refusal = new LockStoreException("no more memory", false, null);
		this.store.acquires().fail(refusal);
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		assertThat(failure(request)).hasMessageContaining("no more memory")
			.satisfies((failure) -> assertThat(failure.isOutcomeUnknown()).isFalse());
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.store.journal()).hasSize(1);
	}

	@Test
	void aRefusalThatTheStoreWrapsIsToldAsItIs() {
		LockStoreException refusal = new LockStoreException("no more memory", false, null);
		this.store.acquires().fail(new CompletionException(refusal));
		assertThat(failure(this.engine.request(KEY, PATIENT))).hasMessage(refusal.getMessage());
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.store.journal()).hasSize(1);
	}

	@Test
	void aThreadIsToldOfTheFailureWithItsOwnStack() throws Exception {
		this.store.acquires().fail(new LockStoreException("no more memory", false, null));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.engine.registry().tryAcquire(KEY, PATIENT))
			.satisfies((failure) -> {
				assertThat(failure.isOutcomeUnknown()).isFalse();
				assertThat(failure.getStackTrace()).anyMatch((frame) -> frame.getClassName().contains("Test"));
			});
	}

	@Test
	void theKeyCanBeTriedAgainAfterAnyFailure() {
		this.store.acquires().throwAtOnce(new IllegalStateException("closed"));
		assertThat(this.engine.request(KEY, PATIENT)).isCompletedExceptionally();
		this.store.acquires().fail(new LockStoreException("refused", false, null));
		assertThat(this.engine.request(KEY, PATIENT)).isCompletedExceptionally();
		this.store.acquires().hold();
		CompletableFuture<Lease> unanswered = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(unanswered).isCompletedExceptionally();
		this.store.acquires().answer((command) -> this.store.granted());
		assertThat(this.engine.request(KEY, PATIENT)).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void aRefusalToProlongAHoldGivesItBack() {
		this.engine.startListening();
		Lease first = this.engine.lease(KEY, PATIENT.withRenew(false));
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT.withRenew(false));
		this.engine.tickMillis(1_000);
		int before = this.store.releases().count();
		this.store.acquires().fail(new LockStoreException("no more memory", false, null));
		first.close();
		assertThat(failure(second).isOutcomeUnknown()).isFalse();
		Acquire refused = this.store.acquires().last().command();
		assertThat(this.store.releases().commands().subList(before, this.store.releases().count()))
			.containsExactly(ManualEngine.orphan(KEY, ManualEngine.INSTANCE, refused.ownerId()));
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.store.releases().count()).isEqualTo(before + 1);
	}

	@Test
	void anAcquisitionThatIsExecutedTwiceIsHeldOnce() {
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsTwiceAs(truth);
		Lease lease = this.engine.lease();
		assertThat(lease.isValid()).isTrue();
		assertThat(truth.acquire(new Acquire(KEY, "other", "other:1", ManualEngine.TTL, false, 1)).join())
			.isInstanceOf(Busy.class);
		var unused = lease.releaseAsync();
		assertThat(MemoryStores.size(truth)).isZero();
	}

	// Release

	@Test
	void aReleaseThatIsNotAnsweredFreesTheKeyHereAtOnce() {
		this.store.releases().hold();
		Lease lease = this.engine.lease();
		CompletableFuture<Boolean> release = lease.releaseAsync();
		assertThat(release).isNotDone();
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.request(KEY, PATIENT)).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void aReleaseThatIsNotAnsweredIsToldAtTheCommandTimeoutAndRepeated() {
		this.store.releases().hold();
		Lease lease = this.engine.lease();
		CompletableFuture<Boolean> release = lease.releaseAsync();
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		assertThat(release).isNotDone();
		this.engine.tickMillis(1);
		assertThat(failure(release).isOutcomeUnknown()).isTrue();
		assertThat(this.engine.events().unconfirmed()).containsExactly(lease);
		assertThat(this.engine.events().failures()).extracting(LockStoreException::isOutcomeUnknown)
			.containsExactly(true);
		assertThat(this.store.releases().count()).isEqualTo(2);
		this.store.releases().answer((command) -> true);
		this.engine.tickMillis(COMMAND_TIMEOUT + 50);
		assertThat(this.store.releases().count()).isEqualTo(3);
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.store.releases().count()).isEqualTo(3);
		assertThat(this.store.releases().commands()).containsOnly(this.store.releases().call(0).command(),
				ManualEngine.orphan(KEY, ManualEngine.INSTANCE, "app:1"));
		assertThat(this.engine.events().unconfirmed()).hasSize(1);
		assertThat(this.engine.events().losses()).isEmpty();
	}

	@Test
	void aReleaseThatIsRepeatedAndFindsNothingIsDone() {
		this.store.releases().hold();
		Lease lease = this.engine.lease();
		var unused = lease.releaseAsync();
		this.store.releases().answer((command) -> false);
		this.engine.tickMillis(COMMAND_TIMEOUT);
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.store.releases().count()).isEqualTo(2);
		assertThat(this.engine.events().losses()).isEmpty();
	}

	@Test
	void aReleaseThatFailsToTheEndIsNotRepeatedBeyondTheTtl() {
		this.store.releases().fail(new LockStoreException("read only", false, null));
		var unused = this.engine.lease().releaseAsync();
		this.engine.tick(ManualEngine.TTL.multipliedBy(2));
		int releases = this.store.releases().count();
		assertThat(releases).isBetween(6, 60);
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.store.releases().count()).isEqualTo(releases);
		assertThat(this.engine.events().unconfirmed()).hasSize(1);
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void closingReturnsThoughTheReleaseFails() {
		this.store.releases().throwAtOnce(new IllegalStateException("closed"));
		Lease lease = this.engine.lease();
		assertThat(catchThrowable(lease::close)).isNull();
		assertThat(this.engine.events().unconfirmed()).containsExactly(lease);
		lease.close();
		assertThat(this.engine.events().unconfirmed()).hasSize(1);
		assertThat(lease.releaseAsync()).isCompletedWithValue(false);
	}

	@Test
	void whoeverCancelsTheFutureOfAReleaseDoesNotStopTheRelease() {
		this.store.releases().hold();
		Lease lease = this.engine.lease();
		lease.releaseAsync().cancel(true);
		assertThat(this.store.releases().last().isCancelled()).isFalse();
		this.store.releases().last().answer(false);
		assertThat(this.engine.events().losses()).hasSize(1);
	}

	@Test
	void whoWaitsGoesOnAfterAReleaseThatWasNotConfirmed() {
		MemoryLockStore truth = this.engine.memoryStore();
		this.engine.startListening();
		this.store.actsAs(truth);
		Lease lease = this.engine.lease();
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(10);
		this.store.releases().fail(new IllegalStateException("reset"));
		var unused = lease.releaseAsync();
		this.store.releases().forward(truth::release);
		this.engine.tickMillis(6_000);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
	}

	// Leave

	@Test
	void aQueueThatCannotBeLeftIsNoReasonToFail() {
		this.engine.startListening();
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:1", Duration.ofSeconds(20)));
		this.store.leaves().throwAtOnce(new IllegalStateException("closed"));
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofSeconds(1)));
		this.engine.tickMillis(1_000);
		assertThat(waiting).isCompletedExceptionally();
		assertThat(this.store.leaves().count()).isOne();
		this.store.acquires().answer((command) -> this.store.granted());
		assertThat(this.engine.request(KEY, PATIENT)).isCompleted();
	}

	private Acquire letAnAcquisitionTimeOut() {
		this.store.acquires().hold();
		int before = this.store.releases().count();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(request).isCompletedExceptionally();
		assertThat(this.store.releases().count()).isGreaterThan(before);
		Acquire unanswered = this.store.acquires().last().command();
		this.store.acquires().answer((command) -> this.store.granted());
		return unanswered;
	}

	private Release releaseOf(Call<Acquire, AcquireReply> call) {
		return ManualEngine.orphan(call.command().key(), call.command().instance(), call.command().ownerId());
	}

	private static LockStoreException failure(CompletableFuture<?> future) {
		assertThat(future).isCompletedExceptionally();
		Throwable failure = future.handle((value, thrown) -> thrown).join();
		Throwable cause = (failure.getCause() instanceof LockStoreException) ? failure.getCause() : failure;
		assertThat(cause).isInstanceOf(LockStoreException.class);
		return (LockStoreException) cause;
	}

}
