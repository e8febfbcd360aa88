// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.ScriptedStore.Call;
import io.lockstarter.engine.ScriptedStore.Leave;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for waiting: in the queue of this JVM, in the queue of the store, and for how
 * long. Time is the test's; the acquirers are asynchronous.
 */
class WaitingTest {

	private static final String KEY = ManualEngine.KEY;

	private static final String INSTANCE = ManualEngine.INSTANCE;

	private static final String OTHER = "other:7";

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final LockOptions ONCE = DEFAULTS.withWaitTime(Duration.ZERO);

	private static final LockOptions PATIENT = DEFAULTS.withWaitTime(Duration.ofMinutes(10));

	private static final int POLL_MILLIS = 5_000;

	private static final int DEAF_POLL_MILLIS = 200;

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	// Once

	@Test
	void unlimitedWaitEndsWithTheLockOnly() {
		this.engine.store().acquires().answer((command) -> new Busy(OTHER, Duration.ofHours(1)));
		this.engine.store()
			.jointAcquires()
			.answer((commands) -> new AcquireAllReply(List.of(), "a", new Busy(OTHER, Duration.ofHours(1))));
		CompletableFuture<Lease> one = this.engine.request(KEY, DEFAULTS.withWaitTime(LockOptions.UNLIMITED));
		CompletableFuture<List<Lease>> several = this.engine.registry()
			.acquireAllAsync(List.of("a", "b"), DEFAULTS.withWaitTime(LockOptions.UNLIMITED));
		for (int i = 0; i < 10; i++) {
			this.engine.time().pause(Duration.ofDays(100));
		}
		assertThat(one).isNotDone();
		assertThat(several).isNotDone();
		this.engine.store().acquires().answer((command) -> this.engine.store().granted());
		this.engine.tick(Duration.ofHours(1));
		assertThat(one.join().isValid()).isTrue();
		assertThat(several.join()).hasSize(2);
	}

	@Test
	void whoTriesOnceHearsTheAnswerThatIsInFlight() {
		this.store.acquires().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, DEFAULTS);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		assertThat(once).isNotDone();
		first.cancel(false);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(once).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.store.acquires().count()).isOne();
	}

	@Test
	void whoTriesOnceIsToldBusyIfTheAnswerThatIsInFlightSaysSo() {
		this.store.acquires().hold();
		CompletableFuture<Lease> patient = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(notAcquired(once).holders()).containsExactly(OTHER);
		assertThat(patient).isNotDone();
	}

	@Test
	void whoTriesOnceIsToldBusyIfWhoWasBeforeHimGetsTheKey() {
		this.store.acquires().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, DEFAULTS);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(first).isCompleted();
		assertThat(notAcquired(once)).isNotNull();
	}

	@Test
	void whoTriesOnceSendsOneCommandAndStandsInNoQueue() {
		this.engine.startListening();
		busyFor(Duration.ofSeconds(20));
		int before = this.store.journal().size();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		assertThat(notAcquired(request).holders()).containsExactly(OTHER);
		assertThat(this.store.journal()).hasSize(before + 1);
		assertThat(this.store.acquires().last().command().enqueue()).isFalse();
		assertNothingFollows();
	}

	@Test
	void whoTriesOnceDoesNotStartToListen() {
		busyFor(Duration.ofSeconds(20));
		assertThat(this.engine.request(KEY, ONCE)).isCompletedExceptionally();
		assertThat(this.store.listenCount()).isZero();
	}

	@Test
	void whoTriesOnceAsksNobodyWhileTheKeyIsHeldHere() {
		this.engine.lease();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE);
		assertThat(notAcquired(request).holders()).containsExactly(this.store.acquires().call(0).command().ownerId());
		assertThat(this.store.journal()).hasSize(1);
	}

	@Test
	void whoTriesOnceDoesNotOvertakeThoseWhoWait() {
		busyFor(Duration.ofSeconds(20));
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		free();
		assertThat(notAcquired(this.engine.request(KEY, ONCE)).holders()).containsExactly(OTHER);
		this.engine.tickMillis(POLL_MILLIS);
		assertThat(waiting).isCompleted();
	}

	@Test
	void whoJoinsSomebodyThatTriesOnceWaitsOn() {
		this.engine.startListening();
		this.store.acquires().hold();
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		CompletableFuture<Lease> patient = this.engine.request(KEY, PATIENT);
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(notAcquired(once).holders()).containsExactly(OTHER);
		assertThat(patient).isNotDone();
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(patient).isCompleted();
	}

	@Test
	void clockThatWasSetBackIsToldOnceAMinuteForEachKey() {
		this.engine.startListening();
		Duration remaining = Duration.ofHours(1);
		this.store.acquires().answer((command) -> new Busy(OTHER, remaining, Duration.ofMinutes(59)));
		CompletableFuture<Lease> waiting = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofMinutes(5)));
		assertThat(this.engine.request("other", ONCE)).isCompletedExceptionally();
		assertThat(this.engine.events().clockSteps()).containsExactly(KEY + " stays for PT1H, PT59M",
				"other stays for PT1H, PT59M");
		this.engine.tickMillis(54_000);
		assertThat(this.engine.events().clockSteps()).hasSize(2);
		this.engine.tickMillis(12_000);
		assertThat(this.engine.events().clockSteps()).hasSize(3);
		assertThat(waiting).isNotDone();
	}

	@Test
	void clockThatWasSetBackIsToldForSomeKeysOnly() {
		this.store.acquires().answer((command) -> new Busy(OTHER, Duration.ofHours(1), Duration.ofMinutes(59)));
		for (int i = 0; i < 1_000; i++) {
			assertThat(this.engine.request("key" + i, ONCE)).isCompletedExceptionally();
		}
		assertThat(this.engine.events().clockSteps()).hasSize(10);
	}

	// The end of the wait

	@Test
	void theWaitForAnotherInstanceEndsWhenItsTimeIsOver() {
		this.engine.tickMillis(1_000);
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_999);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		LockNotAcquiredException failure = notAcquired(request);
		assertThat(failure.key()).isEqualTo(KEY);
		assertThat(failure.waited()).isEqualTo(Duration.ofSeconds(2));
		assertThat(failure.holders()).containsExactly(OTHER);
		assertThat(failure).hasMessageContaining(KEY).hasMessageContaining("2000 ms").hasMessageContaining(OTHER);
	}

	@Test
	void theWaitInThisJvmEndsWhenItsTimeIsOver() {
		this.engine.lease();
		CompletableFuture<Lease> request = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_999);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		LockNotAcquiredException failure = notAcquired(request);
		assertThat(failure.waited()).isEqualTo(Duration.ofSeconds(2));
		assertThat(failure.holders()).containsExactly(this.store.acquires().call(0).command().ownerId());
	}

	@Test
	void theWaitHereAndTheWaitForAnotherInstanceShareOneBudget() {
		this.engine.startListening();
		Lease first = this.engine.lease();
		CompletableFuture<Lease> request = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_800);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(10);
		first.close();
		busyFor(Duration.ofMinutes(5));
		this.store.signals().reserved(KEY);
		this.engine.tickMillis(189);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(notAcquired(request).waited()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void theDefaultWaitTimeIsThatOfTheRegistry() {
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request();
		this.engine.tickMillis(9_999);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(notAcquired(request).waited()).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void theEndOfTheWaitDuringACommandOfAMomentAgoAwaitsItsAnswer() {
		this.engine.startListening();
		Lease first = this.engine.lease();
		CompletableFuture<Lease> request = this.engine.request(KEY,
				DEFAULTS.withRenew(false).withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_999);
		this.store.acquires().hold();
		first.close();
		this.engine.tickMillis(50);
		assertThat(request).isNotDone();
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(notAcquired(request).holders()).containsExactly(OTHER);
	}

	@Test
	void anAnswerIsNotAwaitedForLongBeyondTheWait() {
		this.engine.startListening();
		Lease first = this.engine.lease();
		CompletableFuture<Lease> request = this.engine.request(KEY,
				DEFAULTS.withRenew(false).withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_999);
		this.store.acquires().hold();
		first.close();
		this.engine.tickMillis(99);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(request).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(failure) -> assertThat(failure.isOutcomeUnknown()).isTrue());
	}

	@Test
	void whoKnowsThatTheKeyIsBusyAwaitsNoAnswerBeyondItsTime() {
		this.engine.startListening();
		busyFor(Duration.ofSeconds(20));
		CompletableFuture<Lease> request = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_999);
		this.store.acquires().hold();
		this.store.signals().reserved(KEY);
		this.engine.tickMillis(1);
		assertThat(notAcquired(request).waited()).isEqualTo(Duration.ofSeconds(2));
		assertThat(notAcquired(request).holders()).containsExactly(OTHER);
	}

	@Test
	void theEndOfTheWaitOfOneIsNotTheEndOfTheOthers() {
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(1)));
		CompletableFuture<Lease> third = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(1_000);
		assertThat(second).isCompletedExceptionally();
		assertThat(this.store.leaves().count()).isZero();
		free();
		this.engine.tickMillis(POLL_MILLIS);
		first.join().close();
		assertThat(third.join().isValid()).isTrue();
	}

	@Test
	void theLastToGiveUpLeavesTheQueueOfTheStore() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> first = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(1)));
		CompletableFuture<Lease> second = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(2)));
		this.engine.tickMillis(1_000);
		assertThat(first).isCompletedExceptionally();
		assertThat(this.store.leaves().count()).isZero();
		this.engine.tickMillis(1_000);
		assertThat(second).isCompletedExceptionally();
		assertThat(this.store.leaves().commands()).containsExactly(new Leave(KEY, INSTANCE));
		assertNothingFollows();
	}

	@Test
	void whoGivesUpWhileACommandIsInFlightLeavesTheQueueAfterItsAnswer() {
		this.engine.startListening();
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		request.cancel(true);
		assertThat(this.store.leaves().count()).isZero();
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(this.store.leaves().commands()).containsExactly(new Leave(KEY, INSTANCE));
		assertNothingFollows();
	}

	// Giving up

	@Test
	void aCancelledFutureGivesUpTheWait() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		request.cancel(true);
		assertThat(this.store.leaves().commands()).containsExactly(new Leave(KEY, INSTANCE));
		assertNothingFollows();
	}

	@Test
	void aFutureThatIsCompletedFromOutsideGivesUpTheWait() {
		this.engine.startListening();
		Lease foreign = this.engine.lease("foreign", DEFAULTS);
		busyFor(Duration.ofMinutes(5));
		List<CompletableFuture<Lease>> requests = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			requests.add(this.engine.request("key" + i, PATIENT));
		}
		requests.get(0).complete(null);
		requests.get(1).complete(foreign);
		requests.get(2).completeExceptionally(new IllegalStateException("no more interest"));
		assertThat(this.store.leaves().commands()).containsExactlyInAnyOrder(new Leave("key0", INSTANCE),
				new Leave("key1", INSTANCE), new Leave("key2", INSTANCE));
		assertThat(foreign.isValid()).isTrue();
	}

	@Test
	void aGrantToACancelledFutureIsReleased() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		request.cancel(true);
		this.store.acquires().last().answer(this.store.granted());
		Acquire command = this.store.acquires().last().command();
		assertThat(this.store.releases().commands())
			.containsExactly(new Release(KEY, INSTANCE, command.ownerId(), false));
		assertNothingFollows();
	}

	@Test
	void aGrantToACancelledFutureGoesToTheNext() {
		this.store.acquires().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		first.cancel(true);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(second).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.store.acquires().count()).isOne();
	}

	@Test
	void waitersThatGaveUpInTheMiddleDoNotSwallowTheGrant() {
		this.engine.startListening();
		Lease held = this.engine.lease();
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			LockOptions brief = DEFAULTS.withWaitTime(Duration.ofSeconds(1));
			waiting.add(this.engine.request(KEY, (i % 3 == 1) ? brief : PATIENT));
		}
		waiting.get(2).cancel(true);
		this.engine.tickMillis(1_000);
		held.close();
		waiting.get(0).join().close();
		waiting.get(3).join().close();
		waiting.get(5).join().close();
		assertThat(waiting.get(1)).isCompletedExceptionally();
		assertThat(waiting.get(4)).isCompletedExceptionally();
	}

	@Test
	void theOneForWhomTheStoreIsAskedGivesUpAndTheGrantGoesToTheNext() {
		this.store.acquires().hold();
		CompletableFuture<Lease> brief = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofMillis(300)));
		CompletableFuture<Lease> patient = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(300);
		brief.cancel(false);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(patient).isCompletedWithValueMatching(Lease::isValid);
	}

	// Order

	@Test
	void whoComesFirstIsServedFirst() {
		this.engine.startListening();
		Lease held = this.engine.lease();
		List<Integer> order = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			int number = i;
			var unused = this.engine.request(KEY, PATIENT).thenAccept((lease) -> {
				order.add(number);
				lease.close();
			});
		}
		held.close();
		assertThat(order).hasSize(50).isSorted();
	}

	@Test
	void whoComesFirstIsServedFirstThoughAnotherInstanceHeldTheKey() {
		busyFor(Duration.ofSeconds(3));
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiting.add(this.engine.request(KEY, PATIENT));
		}
		free();
		this.engine.tickMillis(3_001);
		for (int i = 0; i < 5; i++) {
			Lease lease = waiting.get(i).getNow(null);
			assertThat(lease).isNotNull();
			assertThat(waiting.subList(i + 1, 5)).noneMatch(CompletableFuture::isDone);
			lease.close();
		}
	}

	@Test
	void onlyTheHeadOfTheQueueAsksTheStore() {
		this.engine.startListening();
		int before = this.store.acquires().count();
		this.store.acquires().hold();
		for (int i = 0; i < 100; i++) {
			assertThat(this.engine.request(KEY, PATIENT)).isNotDone();
		}
		assertThat(this.store.acquires().count()).isEqualTo(before + 1);
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(this.store.acquires().count()).isEqualTo(before + 1);
		this.store.signals().reserved(KEY);
		assertThat(this.store.acquires().count()).isEqualTo(before + 2);
	}

	// Asking again

	@Test
	void theFirstContentionListensOnceAndThenStandsInTheQueueOfTheStore() {
		busyFor(Duration.ofSeconds(20));
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		assertThat(this.store.listenCount()).isOne();
		assertThat(this.store.acquires().commands()).extracting(Acquire::enqueue).containsExactly(false, true);
		CompletableFuture<Lease> second = this.engine.request("another", PATIENT);
		assertThat(this.store.listenCount()).isOne();
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		assertThat(this.store.acquires().count()).isEqualTo(3);
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
	}

	@Test
	void whoeverHasNotHeardYetThatItListensStandsInTheQueueAsSoonAsItDoes() {
		this.store.deaf();
		busyFor(Duration.ofSeconds(20));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		assertThat(this.store.acquires().commands()).extracting(Acquire::enqueue).containsExactly(false);
		this.store.signals().listening(true);
		assertThat(this.store.acquires().commands()).extracting(Acquire::enqueue).containsExactly(false, true);
		assertThat(request).isNotDone();
	}

	@Test
	void aReservedKeyIsAskedForAtOnce() {
		this.engine.startListening();
		busyFor(Duration.ofSeconds(20));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		free();
		this.store.signals().reserved(KEY);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.engine.time().scheduled()).isLessThanOrEqualTo(2);
	}

	@Test
	void aSignalDuringACommandAsksAgainAfterItsAnswer() {
		this.engine.startListening();
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		Call<Acquire, AcquireReply> first = this.store.acquires().last();
		this.store.signals().reserved(KEY);
		assertThat(this.store.acquires().last()).isSameAs(first);
		first.answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(this.store.acquires().last()).isNotSameAs(first);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isCompleted();
	}

	@Test
	void aSignalDuringACommandIsUsedOnce() {
		this.engine.startListening();
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.signals().reserved(KEY);
		this.store.signals().reserved(KEY);
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		int commands = this.store.acquires().count();
		this.store.acquires().last().answer(new Busy(OTHER, Duration.ofSeconds(20)));
		assertThat(this.store.acquires().count()).isEqualTo(commands);
		assertThat(request).isNotDone();
	}

	@Test
	void aLostSignalCostsThePollIntervalAtMost() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		free();
		this.engine.tickMillis(POLL_MILLIS * 3 / 4 - 1);
		assertThat(request).isNotDone();
		this.engine.tickMillis(POLL_MILLIS / 4 + 1);
		assertThat(request).isCompleted();
	}

	@Test
	void theEndOfTheHoldersTtlIsNotMissed() {
		this.engine.startListening();
		busyFor(Duration.ofMillis(730));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		free();
		this.engine.tickMillis(730);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(request).isCompleted();
	}

	@Test
	void aHolderWhoseTtlIsNotKnownOrEndlessIsPolled() {
		this.engine.startListening();
		for (Duration remaining : new Duration[] { null, Duration.ofSeconds(Long.MAX_VALUE) }) {
			busyFor(remaining);
			CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
			free();
			this.engine.tickMillis(POLL_MILLIS);
			request.join().close();
		}
	}

	@Test
	void aWaiterAsksAgainAndAgain() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		int before = this.store.acquires().count();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(10 * POLL_MILLIS);
		assertThat(this.store.acquires().count()).isBetween(before + 11, before + 11 + 3);
		assertThat(request).isNotDone();
	}

	@Test
	void whoHearsNoSignalsAsksOften() {
		this.store.deaf();
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(10 * DEAF_POLL_MILLIS);
		assertThat(this.store.acquires().count()).isBetween(11, 11 + 3);
		assertThat(this.store.acquires().call(0).command().enqueue()).isFalse();
		assertThat(this.store.acquires().last().command().enqueue()).as("others see that it waits").isTrue();
		free();
		this.engine.tickMillis(DEAF_POLL_MILLIS);
		assertThat(request).isCompleted();
	}

	@Test
	void aStoreThatCannotListenAtAllIsAskedOften() {
		this.store.listenFails(new IllegalStateException("no pub/sub"));
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		free();
		this.engine.tickMillis(DEAF_POLL_MILLIS);
		assertThat(request).isCompleted();
	}

	@Test
	void aStoreThatCannotListenAtAllLeavesNoOrphan() {
		this.store.listenFails(new IllegalStateException("no pub/sub"));
		Lease lease = this.engine.lease();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		lease.close();
		assertThat(second).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void theLossOfSignalsMakesWaitersAskOften() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.signals().listening(false);
		int before = this.store.acquires().count();
		this.engine.tickMillis(10 * DEAF_POLL_MILLIS);
		assertThat(this.store.acquires().count()).isBetween(before + 10, before + 10 + 3);
		assertThat(request).isNotDone();
	}

	@Test
	void theLossOfSignalsLeavesNoTimerOfTheSlowPollBehind() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		int timers = this.engine.time().scheduled();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.signals().listening(false);
		request.cancel(true);
		assertThat(this.engine.time().scheduled()).isEqualTo(timers);
	}

	@Test
	void theReturnOfSignalsAsksAtOnceAndStandsInTheQueueAgain() {
		this.engine.startListening();
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.signals().listening(false);
		this.engine.tickMillis(DEAF_POLL_MILLIS);
		int before = this.store.acquires().count();
		this.store.signals().listening(true);
		assertThat(this.store.acquires().count()).isEqualTo(before + 1);
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		free();
		this.store.signals().listening(true);
		assertThat(request).isCompleted();
	}

	@Test
	void aReservationThatNobodyHasAUseForIsPassedOn() {
		this.engine.startListening();
		this.store.signals().reserved(KEY);
		assertThat(this.store.leaves().commands()).containsExactly(new Leave(KEY, INSTANCE));
	}

	@Test
	void whoComesWhileAReservationIsPassedOnStandsInTheQueueAgain() {
		this.engine.startListening();
		this.store.leaves().hold();
		this.store.signals().reserved(KEY);
		busyFor(Duration.ofMinutes(5));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		int before = this.store.acquires().count();
		this.store.leaves().last().answer(true);
		assertThat(this.store.acquires().count()).isEqualTo(before + 1);
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		assertThat(request).isNotDone();
	}

	@Test
	void signalsForKeysThatNobodyWantsDoNothing() {
		this.engine.startListening();
		int commands = this.store.journal().size();
		this.store.signals().contended(KEY);
		this.store.signals().listening(false);
		this.store.signals().listening(true);
		assertThat(this.store.journal()).hasSize(commands);
		assertNothingFollows();
	}

	@Test
	void aLateReservationOfAKeyThatIsHeldHereDoesNothing() {
		this.engine.startListening();
		Lease lease = this.engine.lease();
		int commands = this.store.journal().size();
		this.store.signals().reserved(KEY);
		assertThat(this.store.journal()).hasSize(commands);
		assertThat(lease.isValid()).isTrue();
	}

	private void assertNothingFollows() {
		int commands = this.store.journal().size();
		this.engine.tick(Duration.ofMinutes(20));
		assertThat(this.store.journal()).hasSize(commands);
		assertThat(this.engine.time().scheduled()).isZero();
	}

	private void busyFor(Duration remaining) {
		this.store.acquires().answer((command) -> new Busy(OTHER, remaining));
	}

	private void free() {
		this.store.acquires().answer((command) -> this.store.granted());
	}

	private static LockNotAcquiredException notAcquired(CompletableFuture<Lease> request) {
		assertThat(request).isCompletedExceptionally();
		Throwable failure = request.handle((lease, thrown) -> thrown).join();
		assertThat(failure).isInstanceOf(LockNotAcquiredException.class);
		return (LockNotAcquiredException) failure;
	}

}
