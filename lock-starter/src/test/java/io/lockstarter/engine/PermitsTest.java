// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.lockstarter.Lease;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.Permits;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for permits: never more than the limit, and none is lost.
 */
@ExtendWith(OutputCaptureExtension.class)
class PermitsTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final LockOptions PATIENT = DEFAULTS.withWaitTime(Duration.ofMinutes(10));

	private static final LockOptions ONCE = DEFAULTS.withWaitTime(Duration.ZERO);

	private static final String LARGER = "and to more elsewhere";

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final MemoryLockStore memory = MemoryStores.on(this.platform);

	private final DefaultLockRegistry first = registry("first", this.memory);

	private final DefaultLockRegistry second = registry("second", this.memory);

	private final ManualEngine engine = new ManualEngine();

	@Test
	void noMoreThanTheLimitAreHeldAcrossInstances() {
		List<CompletableFuture<Lease>> requests = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			requests.add(this.first.permits("checkout", 3, PATIENT).acquireAsync());
			requests.add(this.second.permits("checkout", 3, PATIENT).acquireAsync());
		}
		for (int served = 0; served < 8; served++) {
			this.platform.pass(Duration.ofSeconds(5));
			List<Lease> held = held(requests);
			assertThat(held).hasSize(Math.min(3, 8 - served)).extracting(Lease::key).doesNotHaveDuplicates();
			held.get(0).close();
		}
		this.platform.pass(Duration.ofSeconds(5));
		assertThat(requests).allMatch(CompletableFuture::isDone);
		assertNothingIsLeft();
	}

	@Test
	void whoWaitsInOneJvmIsServedInOrder() {
		Permits permits = this.first.permits("checkout", 2, PATIENT);
		List<CompletableFuture<Lease>> requests = IntStream.range(0, 6)
			.mapToObj((i) -> permits.acquireAsync())
			.toList();
		this.platform.run();
		for (int i = 0; i < 4; i++) {
			requests.get(i).join().close();
			this.platform.run();
			assertThat(requests.subList(0, i + 3)).allMatch(CompletableFuture::isDone);
			assertThat(requests.subList(i + 3, 6)).noneMatch(CompletableFuture::isDone);
		}
		requests.get(4).join().close();
		requests.get(5).join().close();
		this.platform.run();
		assertNothingIsLeft();
	}

	@Test
	void permitGoesToAnotherInstanceWithoutPolling() {
		Lease held = granted(this.first.permits("checkout", 1, DEFAULTS));
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 1, PATIENT).acquireAsync();
		this.platform.pass(Duration.ofSeconds(3));
		assertThat(waiting).isNotDone();
		held.close();
		this.platform.run();
		assertThat(waiting).isCompleted();
		assertThat(waiting.join().fencingToken()).isGreaterThan(held.fencingToken());
	}

	@Test
	void permitsAreRenewed() {
		List<Lease> held = List.of(granted(this.first.permits("checkout", 2, DEFAULTS)),
				granted(this.first.permits("checkout", 2, DEFAULTS)));
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 2, PATIENT).acquireAsync();
		this.platform.pass(Duration.ofMinutes(5));
		assertThat(held).allMatch(Lease::isValid);
		assertThat(waiting).isNotDone();
	}

	@Test
	void permitOfAHolderThatDiedIsFreeAfterItsTtl() {
		Lease dead = granted(this.first.permits("checkout", 1, DEFAULTS.withRenew(false)));
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 1, PATIENT).acquireAsync();
		this.platform.pass(ManualEngine.TTL.minusMillis(10));
		assertThat(waiting).isNotDone();
		this.platform.pass(Duration.ofMillis(20));
		assertThat(waiting).isCompleted();
		assertThat(dead.isValid()).isFalse();
	}

	@Test
	void permitThatIsGivenBackTwiceCountsOnce() {
		Permits permits = this.first.permits("checkout", 2, ONCE);
		Lease one = granted(permits);
		Lease other = granted(permits);
		one.close();
		one.close();
		this.platform.run();
		Lease again = granted(permits);
		one.close();
		this.platform.run();
		assertThat(failure(permits.acquireAsync())).isInstanceOf(LockNotAcquiredException.class);
		assertThat(List.of(other, again)).allMatch(Lease::isValid);
	}

	@Test
	void nobodyWhoTriesGetsMoreThanTheLimit() {
		Permits here = this.first.permits("checkout", 3, ONCE);
		Permits there = this.second.permits("checkout", 3, ONCE);
		assertThat(List.of(granted(here), granted(there), granted(here))).allMatch(Lease::isValid);
		LockNotAcquiredException busy = (LockNotAcquiredException) failure(there.acquireAsync());
		assertThat(busy.key()).isEqualTo("checkout");
		assertThat(busy.holders()).hasSize(3).doesNotHaveDuplicates();
		assertThat(busy.holderInstances()).containsExactlyInAnyOrder("first", "second");
		assertThat(busy).hasMessageContaining("all permits are taken, 3 of 3 (by ");
	}

	@Test
	void whoIsLateDoesNotGiveBackThePermitOfTheNextHolder() {
		Lease late = granted(this.first.permits("checkout", 1, DEFAULTS.withRenew(false)));
		this.platform.pass(ManualEngine.TTL.plusMillis(10));
		Lease next = granted(this.second.permits("checkout", 1, ONCE));
		CompletableFuture<Boolean> released = late.releaseAsync();
		late.close();
		this.platform.run();
		assertThat(released).isCompletedWithValue(false);
		assertThat(next.isValid()).isTrue();
		assertThat(failure(this.first.permits("checkout", 1, ONCE).acquireAsync()))
			.isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void whoLosesItsPermitIsNotifiedBeforeAnotherHasIt() {
		AtomicReference<LossCause> told = new AtomicReference<>();
		Lease lost = granted(this.first.permits("checkout", 1, DEFAULTS.withRenew(false)));
		lost.onLost(told::set);
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 1, PATIENT).acquireAsync();
		while (told.get() == null) {
			assertThat(waiting).isNotDone();
			this.platform.pass(Duration.ofMillis(10));
		}
		assertThat(told.get()).isEqualTo(LossCause.EXPIRED);
		assertThat(lost.isValid()).isFalse();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(waiting).isCompleted();
	}

	@Test
	void manyWhoTryAtOnceGetNoMoreThanTheLimit() {
		List<CompletableFuture<Lease>> requests = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			requests.add(this.first.permits("checkout", 3, ONCE).acquireAsync());
			requests.add(this.second.permits("checkout", 3, ONCE).acquireAsync());
		}
		this.platform.run();
		assertThat(requests).allMatch(CompletableFuture::isDone);
		assertThat(requests.stream().filter((request) -> !request.isCompletedExceptionally())).hasSizeBetween(1, 3);
	}

	@Test
	void whoNeedsTwoPermitsGetsEachAsItIsGivenBack() {
		List<Lease> held = List.of(granted(this.first.permits("checkout", 2, DEFAULTS)),
				granted(this.first.permits("checkout", 2, DEFAULTS)));
		Permits permits = this.second.permits("checkout", 2, PATIENT);
		List<CompletableFuture<Lease>> wanted = List.of(permits.acquireAsync(), permits.acquireAsync());
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(wanted).noneMatch(CompletableFuture::isDone);
		held.get(0).close();
		this.platform.run();
		assertThat(wanted).filteredOn(CompletableFuture::isDone).hasSize(1);
		held.get(1).close();
		this.platform.run();
		assertThat(held(wanted)).hasSize(2);
	}

	@Test
	void limitThatGrowsWhileAllAreOutAddsTheDifference() {
		List<Lease> held = List.of(granted(this.first.permits("checkout", 2, ONCE)),
				granted(this.first.permits("checkout", 2, ONCE)));
		Permits larger = this.first.permits("checkout", 3, ONCE);
		Lease third = granted(larger);
		assertThat(failure(larger.acquireAsync())).isInstanceOf(LockNotAcquiredException.class);
		assertThat(failure(this.second.permits("checkout", 2, ONCE).acquireAsync()))
			.isInstanceOf(LockNotAcquiredException.class);
		assertThat(held).allMatch(Lease::isValid);
		third.close();
		this.platform.run();
		assertThat(failure(this.second.permits("checkout", 2, ONCE).acquireAsync())).as("after it shrank again")
			.isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void permitThatCannotBeGivenBackKeepsNoOther() {
		Permits permits = this.engine.registry().permits("checkout", 2, ONCE);
		List<Lease> held = List.of(permits.acquireAsync().join(), permits.acquireAsync().join());
		String failing = held.get(0).key();
		this.engine.store()
			.releases()
			.forward((command) -> command.key().equals(failing)
					? CompletableFuture.failedFuture(new LockStoreException("down", true, null))
					: CompletableFuture.completedFuture(true));
		assertThat(held.get(0).releaseAsync()).isCompletedExceptionally();
		assertThat(held.get(1).releaseAsync()).isCompletedWithValue(true);
		this.engine.store().releases().answer((command) -> true);
		int before = this.engine.store().releases().count();
		this.engine.tick(Duration.ofSeconds(5));
		assertThat(this.engine.store().releases().commands().subList(before, this.engine.store().releases().count()))
			.extracting(LockStore.Release::key)
			.contains(failing);
	}

	@Test
	void permitWhoseAnswerIsLostIsGivenBack() {
		this.engine.store().acquires().hold();
		CompletableFuture<Lease> request = this.engine.registry().permits("checkout", 1, ONCE).acquireAsync();
		Acquire unanswered = this.engine.store().acquires().last().command();
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(failure(request)).isInstanceOf(LockStoreException.class);
		assertThat(this.engine.store().releases().commands()).extracting(LockStore.Release::ownerId)
			.contains(unanswered.ownerId());
	}

	@Test
	void permitsHaveNothingToDoWithTheLockOfTheirKey() {
		CompletableFuture<Lease> lock = this.first.acquireAsync("checkout", ONCE);
		this.platform.run();
		assertThat(granted(this.second.permits("checkout", 1, ONCE)).isValid()).isTrue();
		assertThat(lock.join().isValid()).isTrue();
	}

	@Test
	void whoIsCancelledLeavesNothing() {
		List<Lease> held = IntStream.range(0, 3)
			.mapToObj((i) -> granted(this.first.permits("checkout", 3, DEFAULTS)))
			.toList();
		CompletableFuture<Lease> cancelled = this.second.permits("checkout", 3, PATIENT).acquireAsync();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.second.waiterCount()).isOne();
		cancelled.cancel(false);
		this.platform.run();
		assertThat(this.second.waiterCount()).isZero();
		held.forEach(Lease::close);
		this.platform.run();
		assertNothingIsLeft();
		assertThat(MemoryStores.size(this.memory)).isZero();
	}

	@Test
	void whoWaitsForSeveralSlotsIsSeenOnce() {
		granted(this.first.permits("checkout", 2, DEFAULTS));
		granted(this.first.permits("checkout", 2, DEFAULTS));
		var unused = this.second.permits("checkout", 2, PATIENT).acquireAsync();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.second.waiterCount()).isOne();
		assertThat(this.second.waiting()).singleElement()
			.satisfies((waiting) -> assertThat(waiting.key()).startsWith("permit:checkout:"));
	}

	@Test
	void waitEndsWithTheWaitTime() {
		granted(this.first.permits("checkout", 1, DEFAULTS));
		CompletableFuture<Lease> waiting = this.second
			.permits("checkout", 1, DEFAULTS.withWaitTime(Duration.ofSeconds(2)))
			.acquireAsync();
		this.platform.pass(Duration.ofMillis(1999));
		assertThat(waiting).isNotDone();
		this.platform.pass(Duration.ofMillis(1));
		assertThat(failure(waiting)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.second.waiterCount()).isZero();
	}

	@Test
	void instanceWithASmallerLimitWaitsForNoMoreThanItsSlotsAndWarns(CapturedOutput output) {
		Permits larger = this.first.permits("checkout", 4, ONCE);
		List<Lease> held = IntStream.range(0, 4).mapToObj((i) -> granted(larger)).toList();
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 2, PATIENT).acquireAsync();
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(waiting).isNotDone();
		assertThat(output).contains("Permits of 'checkout' are limited to 2 here, " + LARGER);
		assertThat(failure(larger.acquireAsync())).isInstanceOf(LockNotAcquiredException.class);
		held.forEach(Lease::close);
		this.platform.run();
		assertThat(waiting).isCompleted();
	}

	@Test
	void lookBeyondTheLimitThatFailsForAMomentIsRepeated(CapturedOutput output) {
		LockStore store = lookedAtAfter(new LockStoreException("no answer in time", false, true, null));
		assertThat(warnedOfLargerLimit(store, output)).isTrue();
		var unused = then(store).should(times(2)).inspect("permit:checkout:1");
	}

	@Test
	void lookBeyondTheLimitThatIsRefusedIsNotRepeated(CapturedOutput output) {
		for (RuntimeException refusal : List.of(new LockStoreException("no permission", false, false, null),
				new UnsupportedOperationException("cannot be inspected"))) {
			LockStore store = lookedAtAfter(refusal);
			assertThat(warnedOfLargerLimit(store, output)).isFalse();
			var unused = then(store).should().inspect("permit:checkout:1");
		}
	}

	private LockStore lookedAtAfter(RuntimeException failure) {
		LockStore store = mock(LockStore.class, delegatesTo(this.memory));
		var unused = willReturn(CompletableFuture.failedFuture(failure))
			.willAnswer((question) -> this.memory.inspect(question.getArgument(0)))
			.given(store)
			.inspect(anyString());
		return store;
	}

	private boolean warnedOfLargerLimit(LockStore store, CapturedOutput output) {
		DefaultLockRegistry smaller = registry("smaller", store);
		List<Lease> held = List.of(granted(this.first.permits("checkout", 2, ONCE)),
				granted(this.first.permits("checkout", 2, ONCE)));
		for (int minute = 0; minute < 2; minute++) {
			assertThat(failure(smaller.permits("checkout", 1, ONCE).acquireAsync()))
				.isInstanceOf(LockNotAcquiredException.class);
			this.platform.pass(Duration.ofMinutes(1));
		}
		held.forEach(Lease::close);
		this.platform.run();
		return output.getAll().contains(LARGER);
	}

	@Test
	void equalLimitsAreNothingToWarnOf(CapturedOutput output) {
		granted(this.first.permits("checkout", 1, ONCE));
		assertThat(failure(this.second.permits("checkout", 1, ONCE).acquireAsync()))
			.isInstanceOf(LockNotAcquiredException.class);
		this.platform.pass(Duration.ofSeconds(20));
		assertThat(output).doesNotContain(LARGER);
	}

	@Test
	void availableCountsWhatNobodyHolds() {
		Permits permits = this.first.permits("checkout", 3, DEFAULTS);
		assertThat(available(permits)).isEqualTo(3);
		Lease held = granted(permits);
		granted(this.second.permits("checkout", 3, DEFAULTS));
		assertThat(available(permits)).isOne();
		held.close();
		this.platform.run();
		assertThat(available(permits)).isEqualTo(2);
	}

	@Test
	void slotThatIsTakenHereCostsNoCommand() {
		Permits permits = this.engine.registry().permits("checkout", 3, ONCE);
		IntStream.range(0, 3).forEach((i) -> permits.acquireAsync().join());
		assertThat(this.engine.store().acquires().commands()).hasSize(3)
			.extracting(Acquire::key)
			.doesNotHaveDuplicates();
		assertThat(permits.acquireAsync()).isCompletedExceptionally();
		assertThat(this.engine.store().acquires().count()).isEqualTo(3);
	}

	@Test
	void permitThatComesTooLateIsGivenBack() {
		this.engine.store().acquires().hold();
		CompletableFuture<Lease> request = this.engine.registry().permits("checkout", 2, ONCE).acquireAsync();
		request.cancel(false);
		this.engine.store().acquires().last().answer(this.engine.store().granted());
		assertThat(this.engine.store().releases().count()).isOne();
		assertThat(SimulatedRegistry.leftovers(this.engine.registry())).isEmpty();
	}

	@Test
	void twoSlotsThatAreGrantedAtOnceMakeOnePermit() {
		this.engine.startListening();
		int before = this.engine.store().acquires().count();
		int released = this.engine.store().releases().count();
		this.engine.store().acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofSeconds(20)));
		CompletableFuture<Lease> waiting = this.engine.registry().permits("checkout", 2, PATIENT).acquireAsync();
		assertThat(waiting).isNotDone();
		assertThat(this.engine.store().acquires().count() - before).as("each slot once, and once to wait").isEqualTo(4);
		this.engine.store().acquires().answer((command) -> this.engine.store().granted());
		this.engine.store().signals().reserved("permit:checkout:0");
		this.engine.store().signals().reserved("permit:checkout:1");
		assertThat(waiting.join().isValid()).isTrue();
		assertThat(this.engine.registry().leaseCount()).isOne();
		waiting.join().close();
		assertThat(this.engine.store().releases().count() - released).isEqualTo(1);
		assertThat(SimulatedRegistry.leftovers(this.engine.registry())).isEmpty();
	}

	@Test
	void aStoreThatFailsIsNotCalledBusy() {
		this.engine.store().acquires().fail(new LockStoreException("down", false, false, null));
		assertThat(failure(this.engine.registry().permits("checkout", 2, ONCE).acquireAsync()))
			.isInstanceOf(LockStoreException.class)
			.hasMessageContaining("down");
	}

	@Test
	void slotThatCannotBeAskedForIsPassedOver() {
		this.engine.store()
			.acquires()
			.forward((command) -> command.key().endsWith(":0")
					? CompletableFuture.failedFuture(new LockStoreException("down", false, null))
					: CompletableFuture.completedFuture(this.engine.store().granted()));
		assertThat(this.engine.registry().permits("checkout", 2, ONCE).acquireAsync().join().key())
			.isEqualTo("permit:checkout:1");
	}

	@Test
	void whetherAPermitIsFreeIsUnknownWhileASlotCannotBeAskedFor() {
		this.engine.store()
			.acquires()
			.forward((command) -> command.key().endsWith(":0")
					? CompletableFuture.failedFuture(new LockStoreException("down", false, null))
					: CompletableFuture.completedFuture(ScriptedStore.busy("other:7", Duration.ofSeconds(20))));
		CompletableFuture<Lease> request = this.engine.registry().permits("checkout", 2, ONCE).acquireAsync();
		this.engine.tick(Duration.ofSeconds(10));
		assertThat(failure(request)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void slotThatWasBusyStaysBusyWhenTheStoreFails() {
		this.engine.store().acquires().answer((command) -> ScriptedStore.busy("other:7", Duration.ofSeconds(20)));
		CompletableFuture<Lease> request = this.engine.registry()
			.permits("checkout", 2, DEFAULTS.withWaitTime(Duration.ofSeconds(1)))
			.acquireAsync();
		this.engine.store().acquires().fail(new LockStoreException("down", false, null));
		this.engine.tick(Duration.ofSeconds(10));
		assertThat(failure(request)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void slowStoreIsAskedForAllSlotsAtOnceWhenTheWaitTimeIsOver() {
		this.engine.store().acquires().hold();
		CompletableFuture<Lease> request = this.engine.registry()
			.permits("checkout", 5, DEFAULTS.withWaitTime(Duration.ofSeconds(1)))
			.acquireAsync();
		this.engine.tickMillis(1500);
		this.engine.store().acquires().last().answer(ScriptedStore.busy("other:7", Duration.ofSeconds(20)));
		assertThat(this.engine.store().acquires().count()).as("the other slots, and this one again").isEqualTo(6);
		this.engine.tickMillis(501);
		assertThat(request).isCompletedExceptionally();
		assertThat(SimulatedRegistry.leftovers(this.engine.registry())).noneMatch((left) -> left.contains("waiters"));
	}

	@Test
	void sixtyFourSlotsAreTakenOnOneThread() {
		Permits permits = this.first.permits("checkout", 64, ONCE);
		List<Lease> held = IntStream.range(0, 64).mapToObj((i) -> granted(permits)).toList();
		assertThat(held).extracting(Lease::key).doesNotHaveDuplicates();
		assertThat(failure(this.second.permits("checkout", 64, ONCE).acquireAsync()))
			.isInstanceOf(LockNotAcquiredException.class);
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 64, PATIENT).acquireAsync();
		this.platform.run();
		held.get(63).close();
		this.platform.run();
		assertThat(waiting).isCompleted();
	}

	@Test
	void blockingCallsWaitAndAreInterrupted() throws Exception {
		Permits permits = this.engine.registry().permits("checkout", 1, PATIENT);
		Lease held = permits.acquire();
		assertThat(this.engine.registry().permits("checkout", 1).tryAcquire()).isEmpty();
		Caller<Lease> waiting = Caller.start(permits::acquire).awaitParked();
		Caller<Lease> interrupted = Caller.start(permits::acquire).awaitParked();
		interrupted.interrupt();
		assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class).hasMessageContaining("'checkout'");
		held.close();
		Lease next = waiting.value();
		assertThat(next.isValid()).isTrue();
		next.close();
		assertThat(SimulatedRegistry.leftovers(this.engine.registry())).isEmpty();
		assertThat(Caller.startInterrupted(permits::acquire).failure()).isInstanceOf(InterruptedException.class);
	}

	@Test
	void actionRunsWithItsPermit() {
		Permits permits = this.engine.registry().permits("checkout", 1, ONCE);
		long token = permits.call((scope) -> {
			assertThat(LockScope.current().leases()).extracting(Lease::key).containsExactly("permit:checkout:0");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> permits.call((inner) -> "not reentrant"));
			return scope.fencingToken();
		});
		assertThat(token).isPositive();
		assertThat(this.engine.registry().leaseCount()).isZero();
		IllegalStateException thrown = catchThrowableOfType(IllegalStateException.class, () -> permits.call((scope) -> {
			throw new IllegalStateException("mine");
		}));
		assertThat(thrown).hasMessage("mine");
		assertThat(this.engine.registry().leaseCount()).isZero();
	}

	@Test
	void whoWaitsIsRefusedAtShutdown() {
		granted(this.first.permits("checkout", 1, DEFAULTS));
		CompletableFuture<Lease> waiting = this.second.permits("checkout", 1, PATIENT).acquireAsync();
		this.platform.run();
		this.second.stop();
		assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class).hasMessageContaining("shut down");
		Permits stopped = this.second.permits("checkout", 1, DEFAULTS);
		assertThat(failure(stopped.acquireAsync())).isInstanceOf(IllegalStateException.class);
		assertThatIllegalStateException().isThrownBy(stopped::acquire);
	}

	@Test
	void monitorIsToldOfEachAcquirerOnce() {
		List<String> told = new ArrayList<>();
		ManualEngine observed = new ManualEngine(ManualEngine.settings(), new ScriptedStore(), List.of(new Told(told)));
		Permits permits = observed.registry().permits("checkout", 2, ONCE.withName("checkout"));
		permits.acquireAsync().join();
		permits.acquireAsync().join();
		assertThat(permits.acquireAsync()).isCompletedExceptionally();
		var waiting = observed.registry().permits("checkout", 2, PATIENT.withName("checkout")).acquireAsync();
		waiting.cancel(false);
		assertThat(told).containsExactly("waiting checkout", "acquired", "ended", "waiting checkout", "acquired",
				"ended", "waiting checkout", "BUSY checkout", "ended", "waiting checkout", "INTERRUPTED checkout",
				"ended");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 0, 65 })
	void limitIsFromOneTo64(int limit) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.first.permits("checkout", limit))
			.withMessage("The limit of permits of 'checkout' must be between 1 and 64, but is %d", limit);
	}

	@Test
	void keyIsCheckedLikeThatOfALock() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.first.permits(" ", 1))
			.withMessageContaining("needs a key");
		assertThatIllegalArgumentException().isThrownBy(() -> this.first.permits("a".repeat(1020), 1))
			.withMessageContaining("too long");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.first.permits("a", 1, DEFAULTS.withTtl(Duration.ofMillis(1))))
			.withMessageContaining("ttl");
	}

	@Test
	void instancesBeginWithDifferentSlots() {
		assertThat(IntStream.range(0, 20).mapToObj((i) -> new Slots("a", 5).keys("instance-" + i).get(0)).distinct())
			.hasSize(5);
		assertThat(new Slots("a", 3).keys("x")).containsExactlyInAnyOrder("permit:a:0", "permit:a:1", "permit:a:2");
	}

	private DefaultLockRegistry registry(String instance, LockStore store) {
		return new DefaultLockRegistry(instance, store, ManualEngine.settings(), List.of(), List.of(), this.platform);
	}

	private Lease granted(Permits permits) {
		CompletableFuture<Lease> request = permits.acquireAsync();
		this.platform.run();
		return request.join();
	}

	private int available(Permits permits) {
		CompletableFuture<Integer> available = permits.available();
		this.platform.run();
		return available.join();
	}

	private @Nullable Throwable failure(CompletableFuture<Lease> request) {
		this.platform.run();
		assertThat(request).isCompletedExceptionally();
		return Completions.cause(request.handle((lease, failure) -> failure).join());
	}

	private static List<Lease> held(List<CompletableFuture<Lease>> requests) {
		return requests.stream()
			.filter(CompletableFuture::isDone)
			.map(CompletableFuture::join)
			.filter(Lease::isValid)
			.toList();
	}

	private void assertNothingIsLeft() {
		assertThat(SimulatedRegistry.leftovers(this.first)).isEmpty();
		assertThat(SimulatedRegistry.leftovers(this.second)).isEmpty();
	}

	private record Told(List<String> told) implements LockMonitor {

		@Override
		public @Nullable WaitObserver waiting(String key, String name) {
			this.told.add("waiting " + key);
			return (lease, failure) -> this.told.add("ended");
		}

		@Override
		public void acquired(Lease lease, long waited, boolean handedOn) {
			this.told.add("acquired");
		}

		@Override
		public void notAcquired(String key, String name, Reason reason, long waitNanos, List<String> holders) {
			this.told.add(reason + " " + key);
		}

	}

}
