// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Renew;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for waiting while the store cannot be reached: before the first connection, after
 * a failure that passes, and over a new connection.
 */
@Timeout(60)
class FailingStoreTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private static final LockOptions BRIEF = ONCE.withWaitTime(Duration.ofMillis(90));

	private static final LockOptions PATIENT = ONCE.withWaitTime(Duration.ofMinutes(1));

	private final LockStoreException reset = new LockStoreException("reset", true, null);

	private final LockStoreException loading = new LockStoreException("loading", false, true, null);

	private final LockStoreException denied = new LockStoreException("denied", false, null);

	private static final int COMMAND_TIMEOUT = 2_000;

	private ManualEngine engine = new ManualEngine();

	private ScriptedStore store = this.engine.store();

	// The first connection

	@Test
	void connectingDoesNotCountAgainstTheCommandTimeout() {
		startConnecting();
		List<CompletableFuture<Lease>> requests = List.of(this.engine.request("a", ONCE),
				this.engine.request("b", BRIEF), this.engine.request("c", PATIENT));
		this.engine.tickMillis(10 * COMMAND_TIMEOUT);
		assertThat(requests).noneMatch(CompletableFuture::isDone);
		assertThat(this.store.acquires().calls()).noneMatch(ScriptedStore.Call::isCancelled);
		this.store.connected();
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		this.store.acquires().calls().forEach((call) -> call.answer(this.store.granted()));
		assertThat(requests).allMatch((request) -> request.join().isValid());
	}

	@Test
	void theCommandTimeoutBeginsWithTheConnection() {
		startConnecting();
		CompletableFuture<Lease> once = this.engine.request("a", ONCE);
		CompletableFuture<Lease> brief = this.engine.request("b", BRIEF);
		this.engine.tickMillis(7_000);
		this.store.connected();
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		assertThat(once).isNotDone();
		assertThat(brief).isNotDone();
		this.engine.tickMillis(2);
		assertThat(failure(once)).hasMessageContaining("command timeout");
		assertThat(failure(brief)).hasMessageContaining("command timeout");
	}

	@Test
	void aWaitThatEndsBeforeTheConnectionIsMadeGoesOn() {
		startConnecting();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE.withWaitTime(Duration.ofSeconds(5)));
		this.engine.tickMillis(9_000);
		assertThat(request).isNotDone();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isCompleted();
	}

	@Test
	void aThreadWaitsForTheFirstConnectionToo() {
		startConnecting();
		Caller<Boolean> caller = Caller
			.start(() -> this.engine.registry().obtain(KEY).tryLock(90, TimeUnit.MILLISECONDS))
			.awaitParked();
		this.engine.tickMillis(5_000);
		assertThat(caller.isDone()).isFalse();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(caller.value()).isTrue();
	}

	@Test
	void theFirstAnswerMayBeLateAsTheFirstConnectionTookLongerThanTheTtl() {
		startConnecting();
		CompletableFuture<Lease> request = this.engine.request(KEY, ONCE.withTtl(Duration.ofSeconds(3)));
		this.engine.tickMillis(4_000);
		this.store.connected();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isNotDone();
		this.store.acquires().last().answer(this.store.granted());
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	// Failures that pass

	@Test
	void whoTriesOnceIsToldInTimeWhileTheAnswerIsStillUnderWay() {
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(500);
		this.store.acquires().hold();
		this.engine.tickMillis(COMMAND_TIMEOUT - 500);
		assertThat(failure(once)).hasMessage(this.loading.getMessage());
		assertThat(failure(once).key()).isEqualTo(KEY);
	}

	@Test
	void aWaitGoesOnAfterAFailureAndTheOldOwnerIdIsReleasedFirst() {
		this.store.acquires().fail(this.reset);
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.acquires().answer((command) -> this.store.granted());
		this.engine.tickMillis(50);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
		Acquire first = this.store.acquires().call(0).command();
		assertThat(this.store.journal()).satisfiesExactly((asked) -> assertThat(asked).isEqualTo(first),
				(settled) -> assertThat(settled)
					.isEqualTo(ManualEngine.orphan(KEY, ManualEngine.INSTANCE, first.ownerId())),
				(again) -> assertThat(again).isInstanceOfSatisfying(Acquire.class,
						(command) -> assertThat(command.ownerId()).isNotEqualTo(first.ownerId())));
	}

	@Test
	void aStoreThatGoesOnFailingIsAskedMoreAndMoreRarely() {
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(10_000);
		assertThat(this.store.acquires().count()).isBetween(12, 26);
		this.engine.tickMillis(49_999);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		assertThat(failure(request)).hasMessage(this.loading.getMessage());
		this.engine.tick(ManualEngine.TTL);
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void whoWaitsForEverIsNeverToldOfAFailureThatPasses() {
		this.store.acquires().fail(this.reset);
		Caller<Boolean> caller = Caller.start(() -> {
			this.engine.registry().obtain(KEY).lock();
			return true;
		}).awaitParked();
		this.engine.tick(Duration.ofHours(1));
		assertThat(caller.isDone()).isFalse();
		this.store.acquires().answer((command) -> this.store.granted());
		this.engine.tickMillis(1_000);
		assertThat(caller.value()).isTrue();
	}

	@Test
	void whoTriesOnceIsAskedForAgainWithinTheCommandTimeout() {
		this.store.acquires().fail(this.reset);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		CompletableFuture<Lease> second = this.engine.request(KEY, ONCE);
		this.store.acquires().answer((command) -> this.store.granted());
		this.engine.tickMillis(50);
		assertThat(once).isCompletedWithValueMatching(Lease::isValid);
		assertThat(second).as("busy, as the first one has it").isCompletedExceptionally();
	}

	@Test
	void whoTriesOnceIsToldAtTheCommandTimeoutAtLast() {
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		this.engine.tickMillis(COMMAND_TIMEOUT - 1);
		assertThat(once).isNotDone();
		this.engine.tickMillis(1);
		assertThat(failure(once)).hasMessage(this.loading.getMessage());
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void aFailureForGoodEndsAllWaits() {
		this.store.acquires().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		this.store.acquires().last().fail(this.denied);
		assertThat(failure(first)).hasMessage(this.denied.getMessage());
		assertThat(failure(second)).hasMessage(this.denied.getMessage());
		assertThat(this.store.journal()).hasSize(1);
	}

	@Test
	void aKeyThatTheStoreCalledBusyIsBusyForWhomItWasCalledSo() {
		this.engine.startListening();
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
		CompletableFuture<Lease> early = this.engine.request(KEY, ONCE.withWaitTime(Duration.ofSeconds(20)));
		this.store.acquires().fail(this.loading);
		this.engine.tickMillis(5_000);
		CompletableFuture<Lease> late = this.engine.request(KEY, ONCE.withWaitTime(Duration.ofSeconds(15)));
		this.engine.tickMillis(15_000);
		assertThat(cause(early)).isInstanceOfSatisfying(LockNotAcquiredException.class,
				(busy) -> assertThat(busy.holders()).containsExactly("other:7"));
		assertThat(failure(late)).hasMessage(this.loading.getMessage());
	}

	@Test
	void aWaitThatEndsWhileItsAnswerIsLookedAtLeavesNothing() {
		for (int nanos = 1; nanos < 20; nanos++) {
			this.engine = new ManualEngine();
			this.store = this.engine.store();
			this.engine.startListening();
			this.store.acquires().fail(this.loading);
			CompletableFuture<Lease> request = this.engine.request(KEY, ONCE.withWaitTime(Duration.ofSeconds(1)));
			this.engine.request(KEY, PATIENT).cancel(false);
			this.store.acquires().hold();
			this.engine.tickMillis(100);
			this.engine.time().pause(Duration.ofMillis(900).minusNanos(nanos));
			this.engine.time().stepAtEveryLook(true);
			this.store.acquires().last().answer(ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
			this.engine.time().stepAtEveryLook(false);
			this.engine.tickMillis(10_000);
			assertThat(cause(request)).isInstanceOf(LockNotAcquiredException.class);
			this.store.acquires().answer((command) -> this.store.granted());
			assertThat(this.engine.request(KEY, PATIENT)).isCompletedWithValueMatching(Lease::isValid);
		}
	}

	@Test
	void whoGivesUpInAPauseLeavesNothing() {
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		request.cancel(false);
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void tokensThatRanOverAreAFailureAndNoLease() {
		this.store.acquires().answer((command) -> new Acquired(Long.MIN_VALUE, Long.MIN_VALUE + 9, false));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		assertThat(failure(request)).hasMessageContaining("no valid fencing token");
		this.store.acquires().answer((command) -> new Acquired(Long.MAX_VALUE, Long.MIN_VALUE, false));
		assertThat(failure(this.engine.request(KEY, PATIENT))).hasMessageContaining("no valid fencing token");
		assertThat(this.store.releases().count()).isEqualTo(2);
	}

	// Another connection

	@Test
	void allLeasesAreRenewedAtOnceOverANewConnection() {
		for (int i = 0; i < 1_200; i++) {
			assertThat(this.engine.lease("key" + i, PATIENT).isValid()).isTrue();
		}
		this.engine.tickMillis(100);
		this.store.connection().reconnected();
		assertThat(this.store.renewals().count()).as("not on the thread of the store").isZero();
		this.engine.tickMillis(0);
		assertThat(this.store.renewals().commands()).extracting(List::size).containsExactly(500, 500, 200);
		assertThat(this.store.renewals().commands().stream().flatMap(List::stream).map(Renew::key).distinct())
			.hasSize(1_200);
	}

	@Test
	void leasesThatAreLeftAtShutdownAreRenewedOverANewConnectionToo() {
		Lease left = this.engine.lease();
		this.engine.registry().stop();
		assertThat(left.isValid()).isTrue();
		this.store.connection().reconnected();
		this.engine.tickMillis(0);
		assertThat(this.store.renewals().count()).isOne();
	}

	@Test
	void whoWaitsAsksAtOnceOverANewConnectionAndStandsInTheQueueAgain() {
		this.engine.startListening();
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		int before = this.store.acquires().count();
		this.store.connection().reconnected();
		this.engine.tickMillis(0);
		assertThat(this.store.acquires().count()).isEqualTo(before + 1);
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		assertThat(request).isNotDone();
	}

	@Test
	void whoPausesAfterAFailureAsksAtOnceOverANewConnection() {
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(10_000);
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.connection().reconnected();
		this.engine.tickMillis(0);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	// The place in the queue of the store

	@Test
	void onlyWhoMayStandInTheQueueSaysSo() {
		this.engine.startListening();
		this.engine.lease().close();
		assertThat(this.store.acquires().last().command().queued()).isFalse();
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		assertThat(this.store.acquires().last().command().queued()).isFalse();
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.signals().reserved(KEY);
		assertThat(this.store.acquires().last().command().queued()).isTrue();
		request.join().close();
		this.engine.lease().close();
		assertThat(this.store.acquires().last().command().queued()).isFalse();
	}

	/**
	 * Several meet while the store fails: at any other time those who try once are told
	 * at once.
	 */
	@Test
	void nobodyStandsInTheQueueForSeveralWhoDoNotWait() {
		this.engine.startListening();
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> one = this.engine.request(KEY, ONCE);
		CompletableFuture<Lease> other = this.engine.request(KEY, ONCE);
		assertThat(List.of(one, other)).noneMatch(CompletableFuture::isDone);
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
		this.engine.tickMillis(500);
		assertThat(this.store.acquires().last().command().enqueue()).isFalse();
		assertThat(List.of(one, other)).allMatch(CompletableFuture::isCompletedExceptionally);
	}

	@Test
	void whoeverWaitsBehindOneWhoDoesNotStandsInTheQueue() {
		this.engine.startListening();
		this.store.acquires().fail(this.loading);
		CompletableFuture<Lease> once = this.engine.request(KEY, ONCE);
		CompletableFuture<Lease> patient = this.engine.request(KEY, PATIENT);
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
		this.engine.tickMillis(500);
		assertThat(this.store.acquires().last().command().enqueue()).isTrue();
		assertThat(once).isCompletedExceptionally();
		assertThat(patient).isNotDone();
	}

	@Test
	void aQueueThatIsNotKnownToBeLeftIsTakenForOneThatIsNot() {
		this.engine.startListening();
		this.store.leaves().hold();
		giveUpAKey();
		this.engine.lease().close();
		assertThat(this.store.acquires().last().command().queued()).isTrue();
		this.store.leaves().last().answer(true);
		this.engine.lease().close();
		assertThat(this.store.acquires().last().command().queued()).isFalse();
		giveUpAKey();
		this.engine.tickMillis(COMMAND_TIMEOUT);
		assertThat(this.store.leaves().last().isCancelled()).as("withdrawn, lest it removes a newer place").isTrue();
		this.engine.lease().close();
		assertThat(this.store.acquires().last().command().queued()).isTrue();
		this.engine.tick(Duration.ofMinutes(10));
		this.engine.lease().close();
		assertThat(this.store.acquires().last().command().queued()).isFalse();
	}

	private void giveUpAKey() {
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofMinutes(5)));
		this.engine.request(KEY, PATIENT).cancel(false);
		this.store.acquires().answer((command) -> this.store.granted());
	}

	private void startConnecting() {
		this.engine = new ManualEngine(ManualEngine.settings(), new ScriptedStore().connecting());
		this.store = this.engine.store();
		this.store.acquires().hold();
	}

	private static LockStoreException failure(CompletableFuture<?> future) {
		Throwable cause = cause(future);
		assertThat(cause).isInstanceOf(LockStoreException.class);
		return (LockStoreException) cause;
	}

	private static Throwable cause(CompletableFuture<?> future) {
		assertThat(future).isCompletedExceptionally();
		return future.handle((value, thrown) -> thrown).join();
	}

}
