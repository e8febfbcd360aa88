// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.RecordedEvents.Loss;
import io.lockstarter.engine.ScriptedStore.Leave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the end and the return of a registry. Those whose outcome depends on threads
 * and grace time use real ones.
 */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // the stop releases
class RegistryShutdownTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final DefaultLockRegistry registry = this.engine.registry();

	private final Set<Thread> threadsBefore = new HashSet<>();

	private final List<DefaultLockRegistry> started = new CopyOnWriteArrayList<>();

	@BeforeEach
	void rememberThreads() {
		this.threadsBefore.addAll(engineThreads());
	}

	@AfterEach
	void stopWhatWasStarted() {
		this.started.forEach(DefaultLockRegistry::stop);
	}

	static Stream<Named<RegistryUse>> acquirers() {
		return Stream.of(Named.of("acquire", (registry) -> registry.acquire(KEY, DEFAULTS)),
				Named.of("tryAcquire",
						(registry) -> registry.tryAcquire(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(10)))),
				Named.of("acquireAsync", (registry) -> joined(registry.acquireAsync(KEY, DEFAULTS))),
				Named.of("lock", (registry) -> registry.obtain(KEY).lock()),
				Named.of("lockInterruptibly", (registry) -> registry.obtain(KEY).lockInterruptibly()),
				Named.of("tryLock", (registry) -> registry.obtain(KEY).tryLock()),
				Named.of("call", (registry) -> registry.call(KEY, DEFAULTS, (scope) -> true)));
	}

	private static Lease joined(CompletableFuture<Lease> future) throws Exception {
		try {
			return future.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException refusal) ? refusal : ex;
		}
	}

	@ParameterizedTest
	@MethodSource("acquirers")
	void whoComesAfterTheStopIsRefusedBeforeAnyCommand(RegistryUse acquirer) {
		this.registry.stop();
		assertThat(this.registry.isRunning()).isFalse();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> acquirer.on(this.registry))
			.withMessageContaining("shut down");
		assertThat(this.store.journal()).isEmpty();
	}

	@Test
	void aLockThatWasObtainedBeforeTheStopIsRefusedAfterIt() {
		LeasedLock lock = this.registry.obtain(KEY);
		this.registry.stop();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::lock);
		this.registry.start();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void whoWaitsInThisJvmIsRefused() {
		Lease lease = this.engine.lease();
		CompletableFuture<Lease> waiting = this.engine.request();
		Caller<Lease> thread = Caller.start(() -> this.registry.acquire(KEY, DEFAULTS)).awaitParked();
		this.registry.stop();
		assertThat(waiting).isCompletedExceptionally();
		assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class).hasMessageContaining("shut down");
		assertThat(thread.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("shut down");
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void whoWaitsForAnotherInstanceIsRefusedAndTheQueueOfTheStoreIsLeft() {
		this.engine.startListening();
		this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofMinutes(5)));
		CompletableFuture<Lease> waiting = this.engine.request();
		this.registry.stop();
		assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class);
		assertThat(this.store.leaves().commands()).containsExactly(new Leave(KEY, ManualEngine.INSTANCE));
	}

	@Test
	void aGrantThatIsUnderWayAtTheStopIsReleased() {
		this.store.acquires().hold();
		CompletableFuture<Lease> waiting = this.engine.request();
		this.registry.stop();
		assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(this.store.releases().commands()).hasSize(1);
	}

	@Test
	void aLeaseThatIsReleasedAfterTheStopIsNotHandedToWhoWasRefused() {
		Lease lease = this.engine.lease();
		CompletableFuture<Lease> waiting = this.engine.request();
		this.registry.stop();
		assertThat(lease.releaseAsync()).isCompletedWithValue(true);
		assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class);
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void aHolderMayEnterItsLockAgainAfterTheStop() {
		LeasedLock lock = this.registry.obtain(KEY);
		assertThat(lock.tryLock()).isTrue();
		stop(this.registry).value();
		assertThat(lock.tryLock()).isTrue();
		assertThat(lock.holdCount()).isEqualTo(2);
		lock.unlock();
		lock.unlock();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void whatIsHeldWhenTheGraceTimeIsOverIsToldAsAbandonedOnce() {
		Lease first = this.engine.lease("a", DEFAULTS);
		Lease second = this.engine.lease("b", DEFAULTS);
		this.engine.lease("c", DEFAULTS).close();
		this.registry.stop();
		this.registry.stop();
		assertThat(this.engine.events().abandoned()).containsExactlyInAnyOrder(first, second);
		assertThat(this.engine.events().losses()).isEmpty();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void anAbandonedLeaseEndsAtItsDeadline() {
		Lease lease = this.engine.lease();
		this.engine.time().stickWatchdog();
		this.registry.stop();
		this.engine.tick(ManualEngine.TERM.minusNanos(1));
		assertThat(lease.isValid()).isTrue();
		this.engine.tick(Duration.ofNanos(1));
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(lease);
	}

	@Test
	void anAbandonedLeaseExcludesTheRegistryThatIsStartedAgain() {
		this.store.actsAs(this.engine.memoryStore());
		Lease abandoned = this.engine.lease();
		this.registry.stop();
		this.registry.start();
		assertThat(this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ZERO))).isCompletedExceptionally();
		assertThat(abandoned.isValid()).isTrue();
		assertThat(abandoned.releaseAsync()).isCompletedWithValue(true);
		assertThat(this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ZERO))).isCompleted();
	}

	@Test
	void theReleaseOfAnAbandonedLeaseDoesNotHarmItsSuccessor() {
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsAs(truth);
		Lease abandoned = this.engine.lease(KEY, DEFAULTS.withRenew(false));
		this.registry.stop();
		this.registry.start();
		this.engine.tick(ManualEngine.TTL);
		Lease successor = this.engine.lease();
		abandoned.close();
		assertThat(successor.fencingToken()).isGreaterThan(abandoned.fencingToken());
		assertThat(truth.acquire(new Acquire(KEY, "other", "other:1", LONG, false, 1)).join()).isInstanceOf(Busy.class);
	}

	@Test
	void aRegistryThatIsStartedAgainWorksAsBefore() {
		for (int i = 0; i < 3; i++) {
			this.registry.start();
			assertThat(this.registry.isRunning()).isTrue();
			this.engine.startListening();
			Lease first = this.engine.lease();
			CompletableFuture<Lease> second = this.engine.request();
			first.close();
			second.join();
			this.engine.tick(ManualEngine.TTL.multipliedBy(3));
			assertThat(second.join().isValid()).isTrue();
			second.join().close();
			this.registry.stop();
		}
		assertThat(this.store.acquires().commands()).extracting(Acquire::ownerId).doesNotHaveDuplicates();
		assertThat(this.engine.events().losses()).isEmpty();
		assertThat(this.engine.events().abandoned()).isEmpty();
	}

	@Test
	void aStopWithNothingHeldDoesNotWait() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(2));
		real.acquireAsync(KEY, DEFAULTS).join().close();
		assertThat(Caller.start(() -> {
			real.stop();
			return true;
		}).value()).isTrue();
	}

	@Test
	void holdersMayFinishWithinTheGraceTime() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(2));
		Lease first = real.acquireAsync("a", DEFAULTS).join();
		Lease second = real.acquireAsync("b", DEFAULTS).join();
		Caller<Boolean> stop = stop(real).awaitParked();
		assertThat(stop.isDone()).isFalse();
		first.close();
		stop.awaitParked();
		assertThat(stop.isDone()).isFalse();
		assertThat(second.isValid()).isTrue();
		second.close();
		assertThat(stop.value()).isTrue();
		assertThat(this.engine.events().abandoned()).isEmpty();
	}

	@Test
	void whoStopsWhatItsOwnLocksNeedDoesNotWaitForItself() throws Exception {
		DefaultLockRegistry real = start(Duration.ofMinutes(5), LONG);
		real.obtain("a").lock();
		LeasedLock several = real.obtainAll(List.of("a", "b"), DEFAULTS);
		several.lock();
		real.call("c", DEFAULTS, (scope) -> {
			Lease permit = real.permits("d", 3).acquire();
			Lease async = real.acquireAsync("e", DEFAULTS).join();
			LockScope.of(List.of(permit, async)).call((inner) -> {
				real.stop();
				assertThat(inner.isValid()).isFalse();
				assertThat(scope.isValid()).isFalse();
				return true;
			});
			permit.close();
			return true;
		});
		several.unlock();
		real.obtain("a").unlock();
		assertThat(this.store.releases().commands()).extracting(Release::key)
			.containsExactlyInAnyOrder("a", "b", "c", "permit:d:0", "e");
		assertThat(this.engine.events().abandoned()).isEmpty();
	}

	@Test
	void whoStopsWaitsForTheLocksOfOthersAndForLeasesThatOthersMayUse() throws Exception {
		DefaultLockRegistry real = start(Duration.ofMillis(100), LONG);
		Lease handedOver = real.acquire("a", DEFAULTS);
		Caller.start(() -> {
			real.obtain("b").lock();
			return true;
		}).value();
		Caller<Lease> permit = Caller.start(() -> real.permits("c", 3).acquire());
		LockScope.of(List.of(permit.value())).call((scope) -> {
			real.stop();
			return true;
		});
		assertThat(this.engine.events().abandoned()).extracting(LeaseInfo::key).contains("a", "b").hasSize(3);
		assertThat(handedOver.isValid()).isTrue();
		assertThat(permit.value().isValid()).isTrue();
	}

	@Test
	void theLastReleaseIsAwaitedToo() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(20));
		Lease lease = real.acquireAsync(KEY, DEFAULTS).join();
		this.store.releases().hold();
		var unused = lease.releaseAsync();
		Caller<Boolean> stop = stop(real).awaitParked();
		assertThat(stop.isDone()).isFalse();
		this.store.releases().last().answer(true);
		assertThat(stop.value()).isTrue();
	}

	@Test
	void theGraceTimeIsForHoldersAndTheLastReleasesTogether() {
		SimulatedPlatform time = new SimulatedPlatform(1);
		RegistrySettings settings = settings(Duration.ofSeconds(10), Duration.ofMinutes(1));
		DefaultLockRegistry simulated = new DefaultLockRegistry("simulated", this.store, settings, List.of(), List.of(),
				time);
		CompletableFuture<Lease> lease = simulated.acquireAsync(KEY, DEFAULTS);
		time.run();
		this.store.releases().hold();
		time.schedule(() -> {
			var unused = lease.join().releaseAsync();
		}, Duration.ofSeconds(6).toNanos());
		long begun = time.nanoTime();
		simulated.stop();
		assertThat(this.store.releases().count()).isOne();
		assertThat(Duration.ofNanos(time.nanoTime() - begun)).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void aLeaseIsRenewedDuringTheGraceTime() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(2));
		Lease lease = real.acquireAsync(KEY, DEFAULTS.withTtl(Duration.ofSeconds(3))).join();
		Caller<Boolean> stop = stop(real).awaitParked();
		int renewals = this.store.renewals().count();
		await().until(() -> this.store.renewals().count() > renewals);
		assertThat(lease.isValid()).isTrue();
		lease.close();
		assertThat(stop.value()).isTrue();
	}

	@Test
	void anInterruptEndsTheGraceTimeAndIsKept() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(2));
		Lease lease = real.acquireAsync(KEY, DEFAULTS).join();
		Caller<Boolean> stop = stop(real).awaitParked();
		stop.interrupt();
		assertThat(stop.value()).isTrue();
		assertThat(stop.wasInterruptedAfterwards()).isTrue();
		await().untilAsserted(() -> assertThat(this.engine.events().abandoned()).containsExactly(lease));
		lease.close();
	}

	@Test
	void closingAnAbandonedLeaseIsBoundedByTheCommandTimeout() {
		DefaultLockRegistry real = start(Duration.ZERO, Duration.ofMillis(200));
		Lease lease = real.acquireAsync(KEY, DEFAULTS).join();
		real.stop();
		this.store.releases().hold();
		assertThat(Caller.start(() -> {
			lease.close();
			return lease.isValid();
		}).value()).isFalse();
	}

	@Test
	void closingALeaseDuringTheStopIsBoundedByTheCommandTimeout() {
		DefaultLockRegistry real = start(Duration.ofMillis(10), Duration.ofMillis(500));
		Lease lease = real.acquireAsync(KEY, DEFAULTS).join();
		this.store.releases().hold();
		Caller<Boolean> close = Caller.start(() -> {
			lease.close();
			return lease.isValid();
		}).awaitParked();
		real.stop();
		assertThat(close.value()).isFalse();
	}

	@Test
	void noThreadIsLeftAfterTheStop() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(2));
		useAllThreads(real);
		assertThat(newThreads()).isNotEmpty();
		real.stop();
		await().untilAsserted(() -> assertThat(newThreads()).isEmpty());
	}

	@Test
	void noThreadIsLeftAfterTheLastAbandonedLeaseEnded() {
		DefaultLockRegistry real = start(Duration.ZERO, Duration.ofSeconds(2));
		useAllThreads(real);
		Lease lease = real.acquireAsync("abandoned", DEFAULTS.withTtl(Duration.ofSeconds(1))).join();
		real.stop();
		await().untilAsserted(() -> assertThat(newThreads()).isEmpty());
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(lease);
	}

	@Test
	void everyThreadOfARegistryIsADaemonWithAName() {
		DefaultLockRegistry real = start(LONG, Duration.ofSeconds(2));
		useAllThreads(real);
		assertThat(newThreads()).isNotEmpty().allMatch(Thread::isDaemon);
		assertThat(newThreads()).extracting(Thread::getName)
			.isSubsetOf("lock-starter-deadlines", "lock-starter-watchdog", "lock-starter-callbacks");
	}

	@Test
	void whoLocksWhileTheRegistryStopsAndStartsIsServedOrRefusedButNeverForgotten() {
		for (int i = 0; i < 300; i++) {
			this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofMinutes(5)));
			DefaultLockRegistry real = start(Duration.ZERO, Duration.ofSeconds(2));
			Caller<Boolean> lock = Caller.start(() -> {
				real.obtain(KEY).lock();
				return true;
			});
			real.stop();
			assertThat(lock.failure()).isInstanceOf(IllegalStateException.class);
		}
	}

	private void useAllThreads(DefaultLockRegistry real) {
		Lease lease = real.acquireAsync(KEY, DEFAULTS.withTtl(Duration.ofSeconds(1))).join();
		int renewals = this.store.renewals().count();
		await().until(() -> this.store.renewals().count() > renewals);
		this.store.releases().answer((command) -> false);
		lease.close();
		await().until(() -> !this.engine.events().losses().isEmpty());
		this.engine.events().losses().clear();
		this.store.releases().answer((command) -> true);
	}

	private static RegistrySettings settings(Duration grace, Duration commandTimeout) {
		return RegistrySettings.defaults()
			.withTtl(ManualEngine.TTL)
			.withCommandTimeout(commandTimeout)
			.withSlice(Duration.ofMillis(5))
			.withShutdownGrace(grace);
	}

	private DefaultLockRegistry start(Duration grace, Duration commandTimeout) {
		DefaultLockRegistry real = new DefaultLockRegistry("real", this.store, settings(grace, commandTimeout),
				List.of(this.engine.events()));
		this.started.add(real);
		return real;
	}

	private static Caller<Boolean> stop(DefaultLockRegistry registry) {
		return Caller.start(() -> {
			registry.stop();
			return true;
		});
	}

	private Set<Thread> newThreads() {
		Set<Thread> threads = engineThreads();
		threads.removeAll(this.threadsBefore);
		return threads;
	}

	private static Set<Thread> engineThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-starter-"))
			.collect(Collectors.toCollection(HashSet::new));
	}

	private static Throwable failure(CompletableFuture<?> future) {
		assertThat(future).isCompletedExceptionally();
		return future.handle((value, thrown) -> thrown).join();
	}

	/**
	 * One way to acquire.
	 */
	interface RegistryUse {

		void on(LockRegistry registry) throws Exception;

	}

}
