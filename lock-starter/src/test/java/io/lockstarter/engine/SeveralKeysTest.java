// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockMode;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.KeyByKey;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks of several keys: all or none, in one order, in one round trip.
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // the release is what is looked at
class SeveralKeysTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final LockOptions ONCE = DEFAULTS.withWaitTime(Duration.ZERO);

	private static final Busy BUSY = ScriptedStore.busy("other:7", Duration.ofSeconds(20));

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final LockRegistry registry = this.engine.registry();

	private final LeasedLock lock = this.registry.obtainAll(List.of("b", "a", "b"), DEFAULTS);

	@Test
	void keysAreTakenOnceEachInTheirOrder() throws Exception {
		this.lock.acquire();
		assertThat(acquired()).containsExactly("a", "b");
		assertThat(this.lock.leases()).extracting(Lease::key).containsExactly("a", "b");
		assertThat(this.lock.leases()).allMatch(Lease::isValid);
		assertThat(this.lock.key()).isEqualTo("a, b");
		assertThat(this.lock.holdCount()).isOne();
		this.lock.unlock();
		assertThat(released()).containsExactly("a", "b");
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void oneKeyTwiceIsAnOrdinaryLock() throws Exception {
		LeasedLock single = this.registry.obtainAll(List.of("a", "a"), DEFAULTS);
		single.acquire();
		assertThat(single.lease().key()).isEqualTo("a");
		single.unlock();
		assertThat(acquired()).containsExactly("a");
	}

	@Test
	void freeKeysTakeOneRoundTripAndSoDoesTheirRelease() {
		this.store.jointAcquires().hold();
		Caller<Boolean> caller = Caller.start(() -> {
			this.lock.acquire();
			this.store.releases().hold();
			this.lock.unlock();
			return true;
		});
		await().untilAsserted(() -> assertThat(acquired()).containsExactly("a", "b"));
		caller.awaitParked();
		assertThat(this.store.journal()).hasSize(1);
		answerAll();
		await().untilAsserted(() -> assertThat(released()).containsExactly("a", "b"));
		caller.awaitParked();
		assertThat(caller.isDone()).isFalse();
		this.store.releases().calls().forEach((call) -> call.answer(true));
		assertThat(caller.value()).isTrue();
	}

	@Test
	void nothingIsAcquiredWhenAKeyIsBusy() {
		busy("b");
		LeasedLock once = this.registry.obtainAll(List.of("a", "b"), ONCE);
		LockNotAcquiredException failure = catchThrowableOfType(LockNotAcquiredException.class, once::acquire);
		assertThat(failure.key()).isEqualTo("b");
		assertThat(failure.holders()).containsExactly("other:7");
		assertThat(once.holdCount()).isZero();
		assertThat(once.tryLock()).isFalse();
		assertThat(released()).isEmpty();
		assertHeldNothing();
	}

	@Test
	void nothingIsHeldWhileAnEarlierKeyIsWaitedFor() {
		busy("a");
		Caller<Boolean> caller = Caller.start(() -> this.lock.tryLock(1, TimeUnit.MINUTES)).awaitParked();
		assertThat(released()).isEmpty();
		free();
		this.engine.tickMillis(5_000);
		assertThat(caller.value()).isTrue();
		assertThat(acquired()).startsWith("a", "b", "a").endsWith("a", "b");
		assertThat(acquired()).filteredOn("b"::equals).hasSize(2);
		assertThat(caller.isDone()).isTrue();
	}

	@Test
	void theWaitTimeIsThatOfAllKeysTogether() {
		this.engine.tickMillis(1_000);
		busy("a");
		CompletableFuture<List<Lease>> request = requestAll(DEFAULTS.withWaitTime(Duration.ofSeconds(7)));
		this.engine.tickMillis(3_700);
		busy("b");
		this.engine.tickMillis(3_299);
		assertThat(request).isNotDone();
		this.engine.tickMillis(1);
		LockNotAcquiredException failure = (LockNotAcquiredException) failureOf(request);
		assertThat(failure.key()).isEqualTo("b");
		assertThat(failure.waited()).isEqualTo(Duration.ofSeconds(7));
		assertHeldNothing();
	}

	@Test
	void theTimeThatAnEarlierKeyTookIsNotThereForALaterOne() {
		this.engine.tickMillis(1_000);
		busy("a");
		this.store.acquires().answer((command) -> {
			if (this.store.acquires().count() != 1) {
				return BUSY;
			}
			this.engine.time().pause(Duration.ofSeconds(7));
			return this.store.granted();
		});
		LeasedLock patient = this.registry.obtainAll(List.of("a", "b"), DEFAULTS.withWaitTime(Duration.ofSeconds(7)));
		LockNotAcquiredException failure = catchThrowableOfType(LockNotAcquiredException.class, patient::acquire);
		assertThat(failure.key()).isEqualTo("b");
		assertThat(failure.waited()).isEqualTo(Duration.ofSeconds(7));
		assertThat(acquired()).containsExactly("a", "b", "a", "b");
		assertThat(released()).containsExactly("a");
		assertThat(patient.holdCount()).isZero();
	}

	@Test
	void aKeyThatAloneIsMissingIsAskedForOnce() throws Exception {
		this.registry.obtain("a").lock();
		this.store.acquires().answer((command) -> {
			this.engine.time().pause(Duration.ofSeconds(2));
			return BUSY;
		});
		assertThat(this.lock.tryLock(2, TimeUnit.SECONDS)).isFalse();
		assertThat(acquired()).containsExactly("a", "b");
		assertThat(this.registry.obtain("a").holdCount()).isOne();
	}

	@Test
	void tryLockWithoutTimeIgnoresTheFlagAndKeepsIt() {
		Caller<Boolean> caller = Caller.startInterrupted(this.lock::tryLock);
		assertThat(caller.value()).isTrue();
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
	}

	@Test
	void anInterruptWhileWaitingLeavesNothing() {
		busy("b");
		Caller<Boolean> caller = Caller.start(() -> this.lock.tryLock(1, TimeUnit.MINUTES)).awaitParked();
		caller.interrupt();
		assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
		assertHeldNothing();
	}

	@Test
	void anInterruptBeforeTheFirstAnswerLeavesNothing() {
		this.store.jointAcquires().hold();
		Caller<Boolean> caller = Caller.start(() -> this.lock.tryLock(1, TimeUnit.MINUTES)).awaitParked();
		caller.interrupt();
		assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
		answerAll();
		assertThat(released()).containsExactly("a", "b");
	}

	@Test
	void anInterruptDoesNotEndTheWaitOfLock() {
		busy("b");
		Caller<Boolean> caller = Caller.start(() -> {
			this.lock.lock();
			return true;
		}).awaitParked();
		caller.interrupt();
		free();
		caller.awaitParked();
		this.engine.tickMillis(5_000);
		assertThat(caller.value()).isTrue();
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
	}

	@Test
	void aFailureOfTheStoreLeavesNothing() {
		fail(new LockStoreException("no", false, null));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::acquire);
		assertThat(failureOf(requestAll(DEFAULTS))).isInstanceOf(LockStoreException.class);
		assertHeldNothing();
	}

	@Test
	void whoIsToldThatAKeyIsBusyFindsTheOthersFree() {
		busy("b");
		CompletableFuture<Boolean> isFree = requestAll(DEFAULTS.withWaitTime(Duration.ofSeconds(3)))
			.handle((leases, failure) -> !this.registry.acquireAsync("a", ONCE).isCompletedExceptionally());
		this.engine.tickMillis(3_000);
		assertThat(isFree).isCompletedWithValue(true);
	}

	@Test
	void keysThatTheThreadHoldsAreCountedAndNotAskedFor() throws Exception {
		LeasedLock single = this.registry.obtain("a");
		single.lock();
		this.lock.acquire();
		this.lock.acquire();
		assertThat(acquired()).containsExactly("a", "b");
		assertThat(single.holdCount()).isEqualTo(3);
		assertThat(this.lock.holdCount()).isEqualTo(2);
		this.lock.unlock();
		this.lock.unlock();
		assertThat(released()).containsExactly("b");
		single.unlock();
		assertThat(released()).containsExactly("b", "a");
	}

	@Test
	void aKeyThatTheThreadHoldsIsHeldAsOftenAsBeforeIfAnotherOneCannotBeHad() {
		LeasedLock single = this.registry.obtain("a");
		single.lock();
		busy("b");
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(single.holdCount()).isOne();
		fail(new LockStoreException("no", false, null));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::acquire);
		assertThat(single.holdCount()).isOne();
		single.unlock();
		assertThat(released()).containsExactly("a");
	}

	@Test
	void aLossOfOneKeyIsThrownByUnlockAndTheOthersAreReleased() {
		this.lock.lock();
		this.store.renewals().answer((renewals) -> renewals.stream().map((renew) -> renew.key().equals("b")).toList());
		this.engine.tick(Duration.ofSeconds(11));
		assertThat(catchThrowableOfType(LockLostException.class, this.lock::unlock).key()).isEqualTo("a");
		assertThat(released()).contains("b");
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void whatIsNotHeldCannotBeUnlocked() {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		this.registry.obtain("a").lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		assertThat(this.registry.obtain("a").holdCount()).isOne();
	}

	@Test
	void whoReleasedOneKeyOnItsOwnReleasesTheOthersAllTheSame() {
		for (LockRegistry registry : List.of(this.registry, this.registry.withHolder("holder"))) {
			LeasedLock all = registry.obtainAll(List.of("a", "b", "c"), DEFAULTS);
			all.lock();
			registry.obtain("b").unlock();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(all::unlock)
				.withMessageContaining("'b'");
			assertThat(List.of("a", "b", "c")).allMatch((key) -> registry.obtain(key).holdCount() == 0);
			assertThat(this.engine.registry().leaseCount()).isZero();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(all::unlock);
		}
		assertThat(this.engine.registry().namedHoldCount()).isZero();
	}

	@Test
	void actionThatReleasesOneKeyLeavesNoneOfTheOthersBehind() {
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.registry.callAll(List.of("a", "b", "c"), DEFAULTS, (scope) -> {
				this.registry.obtain("b").unlock();
				return "";
			}))
			.withMessageContaining("'b'");
		assertThat(List.of("a", "b", "c")).allMatch((key) -> this.registry.obtain(key).holdCount() == 0);
		assertThat(this.engine.registry().leaseCount()).isZero();
		assertThat(released()).containsExactly("b", "a", "c");
	}

	@Test
	void keysThatAreReleasedOneByOneAreNotHeldTogetherAnyMore() {
		LeasedLock all = this.registry.obtainAll(List.of("a", "b"), DEFAULTS);
		all.lock();
		this.registry.obtain("a").unlock();
		this.registry.obtain("b").unlock();
		this.registry.obtain("a").lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(all::unlock);
		assertThat(this.registry.obtain("a").holdCount()).isOne();
	}

	@Test
	void thereIsNoSingleLease() {
		this.lock.lock();
		assertThatIllegalStateException().isThrownBy(this.lock::lease).withMessageContaining("leases()");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "line\nbreak" })
	void anUnusableKeyIsRefusedBeforeAnythingIsSent(String key) {
		Collection<String> keys = List.of("a", key);
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtainAll(keys, DEFAULTS));
		assertThat(this.registry.acquireAllAsync(keys, DEFAULTS)).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class);
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtainAll(List.of(), DEFAULTS));
		assertThat(this.store.journal()).isEmpty();
	}

	// Asynchronously

	@Test
	void asynchronousLeasesComeInTheOrderOfTheirKeys() {
		assertThat(requestAll(DEFAULTS).join()).extracting(Lease::key).containsExactly("a", "b");
		assertThat(acquired()).containsExactly("a", "b");
	}

	@Test
	void anAsynchronousAttemptThatIsNotToWaitFailsAtOnce() {
		busy("a");
		assertThat(failureOf(requestAll(ONCE))).isInstanceOf(LockNotAcquiredException.class);
		assertHeldNothing();
	}

	@Test
	void anAsynchronousWaitEndsWithAllKeys() {
		busy("b");
		CompletableFuture<List<Lease>> request = requestAll(DEFAULTS);
		assertThat(request).isNotDone();
		free();
		this.engine.tickMillis(5_000);
		assertThat(request.join()).extracting(Lease::key).containsExactly("a", "b");
		assertThat(request.join()).allMatch(Lease::isValid);
	}

	@Test
	void whoCancelsHoldsNothing() {
		busy("b");
		CompletableFuture<List<Lease>> request = requestAll(DEFAULTS);
		request.cancel(false);
		free();
		this.engine.tick(Duration.ofSeconds(20));
		assertHeldNothing();
	}

	@Test
	void whoCancelsAsksNoMore() {
		busy("b");
		CompletableFuture<List<Lease>> request = requestAll(DEFAULTS);
		request.cancel(false);
		assertThat(released()).contains("a");
		int commands = this.store.journal().size();
		this.engine.tick(Duration.ofSeconds(20));
		assertThat(this.store.journal()).hasSize(commands);
	}

	@Test
	void aStoreThatFailsIsNotAskedAgain() {
		LockStoreException refusal = new LockStoreException("no", false, null);
		fail(refusal);
		assertThat(failureOf(requestAll(DEFAULTS))).hasMessage(refusal.getMessage());
		assertThat(acquired()).containsExactly("a", "b");
		assertThat(released()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void failureOfSeveralKeysIsNotToldToThoseWhoWantOneOfThem(boolean passes) {
		this.store.jointAcquires().hold();
		CompletableFuture<List<Lease>> several = requestAll(DEFAULTS);
		CompletableFuture<Lease> one = this.registry.acquireAsync("b", DEFAULTS);
		CompletableFuture<Lease> once = this.registry.acquireAsync("b", ONCE);
		assertThat(one).isNotDone();
		this.store.jointAcquires().calls().get(0).fail(new LockStoreException("no access to 'a'", false, passes, null));
		assertThat(one).succeedsWithin(Duration.ZERO);
		assertThat(failureOf(once)).isInstanceOf(LockNotAcquiredException.class);
		one.join().close();
		this.engine.tickMillis(2_000);
		assertThat(several.isCompletedExceptionally()).isEqualTo(!passes);
	}

	@Test
	void failureOfSeveralKeysIsNotToldToWhoWantsOneOfThemAfterwards() {
		this.store.jointAcquires().fail(new LockStoreException("no access to 'a'", true, null));
		this.store.acquires().hold();
		CompletableFuture<List<Lease>> several = requestAll(DEFAULTS);
		assertThat(several).isNotDone();
		CompletableFuture<List<Lease>> others = this.registry.acquireAllAsync(List.of("b", "c"), ONCE);
		assertThat(this.store.jointAcquires().count()).isEqualTo(2);
		assertThat(others).isNotDone();
	}

	@Test
	void failureOfSeveralKeysIsNotToldToWhoFindsOneOfThemAskedFor() {
		this.store.jointAcquires().hold();
		this.store.acquires().hold();
		var unused = requestAll(DEFAULTS);
		var unused2 = this.registry.acquireAsync("b", DEFAULTS);
		this.store.jointAcquires().calls().get(0).fail(new LockStoreException("no access to 'a'", true, null));
		CompletableFuture<List<Lease>> others = this.registry.acquireAllAsync(List.of("b", "c"), ONCE);
		assertThat(failureOf(others)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void whoIsRefusedBecauseTheRegistryStopsHoldsNothing() {
		this.store.jointAcquires().forward((commands) -> {
			this.engine.registry().stop();
			return CompletableFuture.completedFuture(granted(commands));
		});
		assertThat(failureOf(requestAll(DEFAULTS))).isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("shut down");
		assertThat(acquired()).containsExactly("a", "b");
		assertThat(released()).containsExactly("a", "b");
	}

	@Test
	void whoCancelsBeforeTheFirstAnswerHoldsNothing() {
		this.store.jointAcquires().hold();
		CompletableFuture<List<Lease>> request = requestAll(DEFAULTS);
		request.cancel(false);
		answerAll();
		assertThat(released()).containsExactly("a", "b");
	}

	@ParameterizedTest
	@EnumSource
	void aThousandKeysOfAStoreThatAnswersAtOnceAreWaitedFor(LockMode mode) {
		List<String> keys = IntStream.range(0, 1_000).mapToObj("key%05d"::formatted).toList();
		LockOptions options = DEFAULTS.withMode(mode);
		Lease held = this.engine.lease(keys.get(0), DEFAULTS);
		CompletableFuture<List<Lease>> all = this.registry.acquireAllAsync(keys, options);
		CompletableFuture<List<Lease>> late = this.registry.acquireAllAsync(keys, options);
		assertThat(all).isNotDone();
		held.close();
		assertThat(all).isCompleted();
		assertThat(all.join()).extracting(Lease::key).isEqualTo(keys);
		if (!late.cancel(false)) {
			late.join().forEach(Lease::close);
		}
		all.join().forEach(Lease::close);
		assertThat(this.engine.registry().leaseCount()).isZero();
		assertThat(this.engine.registry().waiterCount()).isZero();
	}

	@Test
	void aStoreThatTakesKeysOneByOneMayAnswerAtOnceTenThousandTimes() {
		List<Acquire> commands = IntStream.range(0, 10_000)
			.mapToObj((i) -> new Acquire("key" + i, ManualEngine.INSTANCE, ManualEngine.INSTANCE + ":" + i,
					ManualEngine.TTL, Queueing.NONE, 1, false, LockMode.EXCLUSIVE))
			.toList();
		assertThat(KeyByKey.acquire(this.store, commands))
			.isCompletedWithValueMatching((reply) -> reply.acquired().size() == commands.size());
	}

	// Who gets the keys

	@Test
	void whoComesWhileKeysAreClaimedIsToldThatTheyAreBusyOrWaits() {
		this.store.jointAcquires().hold();
		CompletableFuture<List<Lease>> first = requestAll(ONCE);
		CompletableFuture<List<Lease>> second = this.registry.acquireAllAsync(List.of("b", "c"), ONCE);
		CompletableFuture<Lease> patient = this.engine.request("b", DEFAULTS);
		assertThat(failureOf(second)).isInstanceOfSatisfying(LockNotAcquiredException.class,
				(busy) -> assertThat(busy.key()).isEqualTo("b"));
		answerAll();
		assertThat(first).isCompleted();
		assertThat(patient).isNotDone();
		first.join().forEach(Lease::close);
		assertThat(patient).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoJoinedAClaimedKeyIsAskedForWhenTheClaimIsGivenBack() {
		this.store.jointAcquires().hold();
		CompletableFuture<List<Lease>> first = requestAll(ONCE);
		CompletableFuture<Lease> patient = this.engine.request("b", DEFAULTS);
		this.store.jointAcquires().last().answer(new AcquireAllReply(List.of(), "a", BUSY));
		assertThat(failureOf(first)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(patient).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoTriesOnceIsNotToldThatAKeyIsBusyWhoseClaimIsGivenBack() {
		this.store.jointAcquires().hold();
		CompletableFuture<List<Lease>> first = requestAll(ONCE);
		CompletableFuture<Lease> once = this.engine.request("b", ONCE);
		CompletableFuture<Lease> shared = this.engine.request("b", ONCE.withMode(LockMode.SHARED));
		assertThat(once).isNotDone();
		assertThat(shared).isNotDone();
		this.store.jointAcquires().last().answer(new AcquireAllReply(List.of(), "a", BUSY));
		assertThat(failureOf(first)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(once).isCompletedWithValueMatching(Lease::isValid);
		assertThat(failureOf(shared)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void whoTriesSeveralKeysOnceHearsTheAnswerToOneWhoGaveUp() {
		this.store.acquires().hold();
		CompletableFuture<Lease> gaveUp = this.engine.request("b", DEFAULTS);
		gaveUp.cancel(false);
		CompletableFuture<List<Lease>> once = requestAll(ONCE);
		assertThat(once).isNotDone();
		this.store.acquires().last().answer(this.store.granted());
		free();
		this.engine.tickMillis(100);
		assertThat(once).isCompletedWithValueMatching((leases) -> leases.size() == 2);
	}

	@Test
	void aKeyThatIsHeldHereIsBusyWithoutAskingTheStore() {
		Lease held = this.engine.lease("b", DEFAULTS);
		int before = this.store.journal().size();
		assertThat(failureOf(requestAll(ONCE))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.store.journal()).hasSize(before);
		held.close();
		assertHeldNothing();
	}

	@Test
	void whoTriesOnceIsAskedForAgainAfterAFailureThatPasses() {
		fail(new LockStoreException("reset", true, null));
		CompletableFuture<List<Lease>> request = requestAll(ONCE);
		assertThat(request).isNotDone();
		assertThat(released()).containsExactly("a", "b");
		free();
		this.engine.tickMillis(50);
		assertThat(request.join()).allMatch(Lease::isValid);
	}

	@Test
	void whoTriesOnceIsToldOfAFailureThatLasts() {
		fail(new LockStoreException("reset", true, null));
		CompletableFuture<List<Lease>> request = requestAll(ONCE);
		this.engine.tickMillis(2_000);
		assertThat(failureOf(request)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void aStoreThatHangsHoldsUpNobodyWhoGivesBackSeveralKeys() {
		List<String> keys = List.of("1", "2", "3", "4", "5", "6", "7", "8");
		busy("1");
		this.store.acquires()
			.answer((command) -> command.key().equals("8") ? BUSY : this.store.granted(command.tokens(), false));
		this.store.releases().hold();
		Caller<Boolean> caller = Caller
			.start(() -> this.registry.obtainAll(keys, DEFAULTS).tryLock(5, TimeUnit.SECONDS))
			.awaitParked();
		this.engine.tickMillis(5_000);
		assertThat(caller.value()).isFalse();
		assertThat(released()).hasSize(7);
	}

	@Test
	void aKeyThatTheStoreCalledBusyIsBusyAlthoughTheStoreFailsSince() {
		busy("b");
		this.store.acquires().fail(new LockStoreException("loading", false, true, null));
		CompletableFuture<List<Lease>> request = requestAll(DEFAULTS.withWaitTime(Duration.ofSeconds(7)));
		this.engine.tickMillis(7_200);
		assertThat(failureOf(request)).isInstanceOfSatisfying(LockNotAcquiredException.class, (failure) -> {
			assertThat(failure.key()).isEqualTo("b");
			assertThat(failure.holders()).containsExactly("other:7");
			assertThat(failure.waited()).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
		});
	}

	@Test
	void leasesThatRanOutWhileALaterKeyWasWaitedForAreNotDelivered() {
		busy("b");
		CompletableFuture<List<Lease>> request = requestAll(
				DEFAULTS.withRenew(false).withWaitTime(Duration.ofMinutes(1)));
		this.engine.tick(ManualEngine.TTL);
		assertThat(request).isNotDone();
		free();
		this.engine.tickMillis(5_000);
		assertThat(request.join()).hasSize(2).allMatch(Lease::isValid);
		request.join().forEach(Lease::close);
		assertHeldNothing();
	}

	@Test
	void leasesThatRanOutWhenNoTimeIsLeftAreAFailure() {
		busy("b");
		CompletableFuture<List<Lease>> request = requestAll(
				DEFAULTS.withRenew(false).withWaitTime(Duration.ofSeconds(31)));
		this.engine.tickMillis(30_000);
		this.store.acquires().answer((command) -> {
			this.engine.time().pause(Duration.ofSeconds(2));
			return this.store.granted();
		});
		this.store.signals().reserved("b");
		assertThat(failureOf(request)).isInstanceOfSatisfying(LockNotAcquiredException.class,
				(failure) -> assertThat(failure.key()).isEqualTo("a"));
		assertHeldNothing();
	}

	@Test
	void whoTriesOnceAsksAgainForAKeyOfWhichNobodyKnows() {
		this.store.acquires().fail(new LockStoreException("reset", true, null));
		CompletableFuture<Lease> other = this.engine.request("a", DEFAULTS.withWaitTime(Duration.ofMillis(200)));
		CompletableFuture<List<Lease>> request = requestAll(ONCE);
		assertThat(request).isNotDone();
		other.cancel(false);
		free();
		this.engine.tickMillis(2_000);
		assertThat(request.join()).hasSize(2).allMatch(Lease::isValid);
	}

	@Test
	void aFailureAfterAKeyWasTakenLeavesTheOutcomeUnknown() {
		LockStoreException denied = new LockStoreException("denied", false, null);
		this.store.acquires()
			.forward((command) -> command.key().equals("b") ? CompletableFuture.failedFuture(denied)
					: CompletableFuture.completedFuture(this.store.granted()));
		assertThat(outcomeUnknown("a", "b")).isTrue();
		assertThat(outcomeUnknown("b", "a")).isFalse();
	}

	@Test
	void whatWasTakenBeforeABusyKeyIsReleasedUntilTheStoreConfirmsIt() {
		this.store.jointAcquires().forward((commands) -> KeyByKey.acquire(this.store, commands));
		this.store.acquires().answer((command) -> command.key().equals("c") ? BUSY : this.store.granted());
		this.store.releases().fail(new LockStoreException("planted", false, null));
		assertThat(requestAll(ONCE, "a", "b", "c")).isCompletedExceptionally();
		List<String> taken = List.of("a", "b");
		assertThat(this.store.releases().commands()).extracting(Release::key).containsExactlyElementsOf(taken);
		this.store.releases().answer((command) -> true);
		this.engine.tickMillis(100);
		assertThat(this.store.releases().commands()).extracting(Release::key).containsExactly("a", "b", "a", "b");
		this.engine.tickMillis(60_000);
		assertThat(this.store.releases().count()).isEqualTo(4);
	}

	@Test
	void whatWasTakenBeforeAKeyThatFailedIsReleasedUntilTheStoreConfirmsIt() {
		this.store.jointAcquires().forward((commands) -> KeyByKey.acquire(this.store, commands));
		this.store.acquires()
			.forward((command) -> command.key().equals("b")
					? CompletableFuture.failedFuture(new LockStoreException("denied", false, false, null))
					: CompletableFuture.completedFuture(this.store.granted()));
		this.store.releases().fail(new LockStoreException("planted", false, null));
		assertThat(requestAll(ONCE)).isCompletedExceptionally();
		this.store.releases().answer((command) -> true);
		int before = this.store.releases().count();
		this.engine.tickMillis(100);
		assertThat(this.store.releases().commands().subList(before, this.store.releases().count()))
			.extracting(Release::key)
			.contains("a");
	}

	@Test
	void aKeyThatIsTakenAfterEverybodyGaveUpIsReleasedAtOnce() {
		this.store.acquires().hold();
		CompletableFuture<AcquireAllReply> late = KeyByKey.acquire(this.store, commands("a", "b"));
		late.cancel(false);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(this.store.releases().commands()).extracting(Release::key).containsExactly("a");
		assertThat(this.store.acquires().count()).isOne();
	}

	private static List<Acquire> commands(String... keys) {
		return Stream.of(keys)
			.map((key) -> new Acquire(key, "app", "app:1", ManualEngine.TTL, false, 1, false))
			.toList();
	}

	private boolean outcomeUnknown(String... keys) {
		Throwable failure = KeyByKey.acquire(this.store, commands(keys)).handle((reply, thrown) -> thrown).join();
		return ((LockStoreException) failure).isOutcomeUnknown();
	}

	@Test
	void whoWaitsBetweenTwoAttemptsIsRefusedAtShutdown() {
		fail(new LockStoreException("reset", true, null));
		LeasedLock once = this.registry.obtainAll(List.of("a", "b"), ONCE);
		Caller<Boolean> caller = Caller.start(once::tryLock).awaitParked();
		assertThat(caller.isDone()).isFalse();
		this.engine.registry().stop();
		assertThat(caller.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("shut down");
		int asked = this.store.jointAcquires().count();
		this.engine.tickMillis(60_000);
		assertThat(this.store.jointAcquires().count()).isEqualTo(asked);
	}

	@Test
	void aPoolThatIsFullOfBlockedThreadsLeavesNothingBehind() throws Exception {
		busy("a");
		try (SmallPool pool = new SmallPool()) {
			Future<List<Lease>> interruptible = pool.submit(() -> {
				LeasedLock one = this.registry.obtainAll(List.of("a", "b"), DEFAULTS);
				one.acquire();
				return one.leases();
			});
			pool.awaitBlocked();
			free();
			this.engine.tickMillis(5_000);
			assertThat(interruptible.get(10, TimeUnit.SECONDS)).hasSize(2).allMatch(Lease::isValid);
		}
	}

	@Test
	void aPoolThatIsFullOfBlockedThreadsBlocksAnotherOneUninterruptibly() throws Exception {
		busy("a");
		try (SmallPool pool = new SmallPool()) {
			Future<List<Lease>> uninterruptible = pool.submit(() -> {
				this.lock.lock();
				return this.lock.leases();
			});
			pool.awaitBlocked();
			free();
			this.engine.tickMillis(5_000);
			assertThat(uninterruptible.get(10, TimeUnit.SECONDS)).hasSize(2).allMatch(Lease::isValid);
		}
	}

	@Test
	void ofTwoWhoTryTheSameKeysOneGetsThemInOneRegistryAndInTwo() {
		MemoryLockStore shared = new MemoryLockStore();
		try (Rivals one = new Rivals(shared, "a", "a"); Rivals two = new Rivals(shared, "b", "c")) {
			for (int round = 0; round < 200; round++) {
				assertThat(one.winners()).isPositive();
				assertThat(two.winners()).isPositive();
			}
		}
	}

	/**
	 * Two threads that try the same keys at once.
	 */
	private static final class Rivals implements AutoCloseable {

		private final DefaultLockRegistry first;

		private final DefaultLockRegistry second;

		private final CyclicBarrier start = new CyclicBarrier(2);

		private final CyclicBarrier end = new CyclicBarrier(2);

		Rivals(LockStore store, String first, String second) {
			this.first = new DefaultLockRegistry(first, store, ManualEngine.settings(), List.of());
			this.second = first.equals(second) ? this.first
					: new DefaultLockRegistry(second, store, ManualEngine.settings(), List.of());
		}

		int winners() {
			Caller<Boolean> other = Caller.start(() -> wins(this.second));
			Caller<Boolean> self = Caller.start(() -> wins(this.first));
			return (self.value() ? 1 : 0) + (other.value() ? 1 : 0);
		}

		private boolean wins(LockRegistry registry) throws Exception {
			LeasedLock both = registry.obtainAll(List.of("x", "y"), ONCE);
			this.start.await();
			boolean won = both.tryLock();
			this.end.await();
			if (won) {
				both.unlock();
			}
			return won;
		}

		@Override
		public void close() {
			this.first.stop();
			this.second.stop();
		}

	}

	private CompletableFuture<List<Lease>> requestAll(LockOptions options) {
		return requestAll(options, "b", "a");
	}

	private CompletableFuture<List<Lease>> requestAll(LockOptions options, String... keys) {
		return this.registry.acquireAllAsync(List.of(keys), options);
	}

	private void busy(String key) {
		this.store.acquires()
			.answer((command) -> command.key().equals(key) ? BUSY : this.store.granted(command.tokens(), false));
		this.store.jointAcquires().answer((commands) -> new AcquireAllReply(List.of(), key, BUSY));
	}

	private void free() {
		this.store.acquires().answer((command) -> this.store.granted(command.tokens(), false));
		this.store.jointAcquires().answer(this::granted);
	}

	private AcquireAllReply granted(List<Acquire> commands) {
		return new AcquireAllReply(commands.stream().map((command) -> this.store.granted()).toList(), null, null);
	}

	private void fail(LockStoreException failure) {
		this.store.acquires().fail(failure);
		this.store.jointAcquires().fail(failure);
	}

	private void answerAll() {
		this.store.jointAcquires().calls().forEach((call) -> call.answer(granted(call.command())));
	}

	/**
	 * Return the keys that were asked for, together or one by one.
	 */
	private List<String> acquired() {
		return this.store.journal()
			.stream()
			.flatMap((command) -> (command instanceof List<?> several) ? several.stream() : Stream.of(command))
			.filter(Acquire.class::isInstance)
			.map((command) -> ((Acquire) command).key())
			.toList();
	}

	private List<String> released() {
		return this.store.releases().commands().stream().map(Release::key).toList();
	}

	/**
	 * Every key can be had at once, as nobody here holds or awaits it any more.
	 */
	private void assertHeldNothing() {
		free();
		List<Lease> leases = requestAll(ONCE).join();
		assertThat(leases).allMatch(Lease::isValid);
		leases.forEach(Lease::close);
	}

	private static Throwable failureOf(CompletableFuture<?> request) {
		assertThat(request).isCompletedExceptionally();
		Throwable failure = catchThrowable(request::join);
		return (failure.getCause() != null) ? failure.getCause() : failure;
	}

}
