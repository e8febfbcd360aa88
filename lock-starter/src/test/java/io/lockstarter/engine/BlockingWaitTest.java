// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.ScriptedStore.Leave;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for threads that wait for a lock, and what interrupts do to them. The registry's
 * time stands still unless a test moves it, so that no wait ends by itself.
 */
@Timeout(60)
class BlockingWaitTest {

	private static final String KEY = ManualEngine.KEY;

	private static final String OTHER = "other:7";

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(10));

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final LockRegistry registry = this.engine.registry();

	@AfterEach
	void nobodyIsLeftBehind() {
		assertThat(Thread.interrupted()).isFalse();
		this.engine.registry().stop();
	}

	static Stream<Named<Attempt>> interruptible() {
		return Stream.of(Named.of("acquire", (registry) -> registry.acquire(KEY, PATIENT)),
				Named.of("tryAcquire", (registry) -> registry.tryAcquire(KEY, PATIENT)),
				Named.of("tryAcquire once",
						(registry) -> registry.tryAcquire(KEY, PATIENT.withWaitTime(Duration.ZERO))),
				Named.of("lockInterruptibly", (registry) -> {
					registry.obtain(KEY).lockInterruptibly();
					return true;
				}), Named.of("tryLock", (registry) -> registry.obtain(KEY).tryLock(10, TimeUnit.MINUTES)));
	}

	@ParameterizedTest
	@MethodSource("interruptible")
	void anInterruptBeforeTheCallSendsNothing(Attempt attempt) {
		Caller<?> caller = Caller.startInterrupted(() -> attempt.on(this.registry));
		assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
		assertThat(caller.wasInterruptedAfterwards()).isFalse();
		assertThat(this.store.journal()).isEmpty();
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@ParameterizedTest
	@MethodSource("interruptible")
	void anInterruptWhileTheCommandIsInFlightLeavesNoOrphan(Attempt attempt) {
		this.store.acquires().hold();
		Caller<?> caller = Caller.start(() -> attempt.on(this.registry)).awaitParked();
		caller.interrupt();
		assertThat(caller.failure()).isInstanceOf(InterruptedException.class).hasMessageContaining(KEY);
		assertThat(caller.wasInterruptedAfterwards()).isFalse();
		assertThat(this.store.releases().count()).isZero();
		this.store.acquires().last().answer(this.store.granted());
		String owner = this.store.acquires().last().command().ownerId();
		assertThat(this.store.releases().commands())
			.containsExactly(new Release(KEY, ManualEngine.INSTANCE, owner, false));
	}

	@Test
	void aPoolThatIsFullOfBlockedThreadsBlocksAnotherOne() throws Exception {
		for (boolean interruptible : List.of(true, false)) {
			ManualEngine small = new ManualEngine();
			Lease held = small.lease();
			try (SmallPool pool = new SmallPool()) {
				Future<Lease> waiting = pool.submit(() -> {
					LeasedLock lock = small.registry().obtain(ManualEngine.KEY);
					if (interruptible) {
						lock.acquire();
					}
					else {
						lock.lock();
					}
					return lock.lease();
				});
				pool.awaitBlocked();
				held.close();
				assertThat(waiting.get(10, TimeUnit.SECONDS).isValid()).isTrue();
			}
		}
	}

	@Test
	void anInterruptWhileAnotherInstanceHasTheKeyLeavesTheQueueOfTheStore() {
		this.engine.startListening();
		busy();
		Caller<?> caller = Caller.start(() -> this.registry.acquire(KEY, PATIENT)).awaitParked();
		caller.interrupt();
		assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
		assertThat(this.store.leaves().commands()).containsExactly(new Leave(KEY, ManualEngine.INSTANCE));
		assertThat(this.store.releases().commands()).noneMatch((command) -> command.key().equals(KEY));
	}

	@Test
	void anInterruptedWaiterInTheMiddleDoesNotSwallowTheGrant() {
		this.engine.startListening();
		Lease held = this.engine.lease();
		Caller<Lease> first = Caller.start(() -> this.registry.acquire(KEY, PATIENT)).awaitParked();
		Caller<Lease> second = Caller.start(() -> this.registry.acquire(KEY, PATIENT)).awaitParked();
		Caller<Lease> third = Caller.start(() -> this.registry.acquire(KEY, PATIENT)).awaitParked();
		second.interrupt();
		assertThat(second.failure()).isInstanceOf(InterruptedException.class);
		held.close();
		first.value().close();
		assertThat(third.value().isValid()).isTrue();
	}

	@Test
	void anInterruptThatRacesWithTheGrantLeavesNoOrphan() {
		this.engine.startListening();
		this.store.actsAs(this.engine.memoryStore());
		for (int i = 0; i < 500; i++) {
			Lease held = this.engine.lease();
			Caller<Lease> caller = Caller.start(() -> this.registry.acquire(KEY, PATIENT)).awaitParked();
			Caller<Boolean> release = Caller.start(() -> held.releaseAsync().join());
			caller.interrupt();
			assertThat(release.value()).isTrue();
			if (caller.failure() == null) {
				caller.value().close();
			}
			else {
				assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
			}
			Optional<Lease> next = Caller
				.start(() -> this.registry.tryAcquire(KEY, PATIENT.withWaitTime(Duration.ZERO)))
				.value();
			assertThat(next).as("attempt %d", i).isPresent();
			next.get().close();
		}
	}

	@Test
	void aCancellationThatRacesWithTheGrantLeavesNoOrphan() {
		this.engine.startListening();
		this.store.actsAs(this.engine.memoryStore());
		for (int i = 0; i < 500; i++) {
			Lease held = this.engine.lease();
			CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
			Caller<Boolean> release = Caller.start(() -> held.releaseAsync().join());
			boolean cancelled = waiting.cancel(true);
			assertThat(release.value()).isTrue();
			if (!cancelled) {
				waiting.join().close();
			}
			assertThat(this.engine.request(KEY, PATIENT.withWaitTime(Duration.ZERO))).as("attempt %d", i)
				.isCompletedWithValueMatching((lease) -> lease.releaseAsync().join());
		}
	}

	@Test
	void lockIsNotEndedByAnInterruptAndKeepsTheFlag() {
		Lease held = this.engine.lease();
		LeasedLock lock = this.registry.obtain(KEY);
		Caller<Integer> caller = Caller.start(() -> {
			lock.lock();
			return lock.holdCount();
		}).awaitParked();
		caller.interrupt();
		caller.awaitParked();
		assertThat(caller.isDone()).isFalse();
		held.close();
		assertThat(caller.value()).isOne();
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
	}

	@Test
	void lockWithTheFlagSetAcquiresAndKeepsTheFlag() {
		LeasedLock lock = this.registry.obtain(KEY);
		Caller<Integer> caller = Caller.startInterrupted(() -> {
			lock.lock();
			return lock.holdCount();
		});
		assertThat(caller.value()).isOne();
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
	}

	@Test
	void tryLockWithoutTimeIgnoresTheFlagAndKeepsIt() {
		LeasedLock lock = this.registry.obtain(KEY);
		Caller<Boolean> caller = Caller.startInterrupted(lock::tryLock);
		assertThat(caller.value()).isTrue();
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
	}

	@Test
	void lockThatFailsKeepsTheFlag() {
		this.store.acquires().hold();
		Caller<Boolean> caller = Caller.start(() -> {
			this.registry.obtain(KEY).lock();
			return true;
		}).awaitParked();
		caller.interrupt();
		caller.awaitParked();
		this.store.acquires().last().fail(new LockStoreException("refused", false, null));
		assertThat(caller.failure()).isInstanceOf(LockStoreException.class);
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
	}

	@Test
	void callWithTheFlagSetDoesNotRunTheActionAndSetsTheFlagAgain() {
		List<String> runs = new CopyOnWriteArrayList<>();
		Caller<Boolean> caller = Caller
			.startInterrupted(() -> this.registry.call(KEY, PATIENT, (scope) -> runs.add("ran")));
		assertThat(caller.failure()).isInstanceOf(LockInterruptedException.class)
			.hasMessageContaining(KEY)
			.hasCauseInstanceOf(InterruptedException.class);
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
		assertThat(runs).isEmpty();
		assertThat(this.store.journal()).isEmpty();
	}

	@Test
	void callThatIsInterruptedWhileItWaitsDoesNotRunTheActionAndSetsTheFlagAgain() {
		this.engine.lease();
		List<String> runs = new CopyOnWriteArrayList<>();
		Caller<Boolean> caller = Caller.start(() -> this.registry.call(KEY, PATIENT, (scope) -> runs.add("ran")))
			.awaitParked();
		caller.interrupt();
		assertThat(caller.failure()).isInstanceOf(LockInterruptedException.class);
		assertThat(caller.wasInterruptedAfterwards()).isTrue();
		assertThat(runs).isEmpty();
	}

	@Test
	void threadsAndFuturesStandInOneQueue() {
		this.engine.startListening();
		Lease held = this.engine.lease();
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<Caller<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			int number = i;
			if (i % 3 == 1) {
				var unused = this.engine.request(KEY, PATIENT).thenCompose((lease) -> {
					order.add(number);
					return lease.releaseAsync();
				});
			}
			else if (i % 3 == 2) {
				callers.add(Caller.start(() -> {
					LeasedLock lock = this.registry.obtain(KEY);
					lock.lock();
					try {
						return order.add(number);
					}
					finally {
						lock.unlock();
					}
				}).awaitParked());
			}
			else {
				callers.add(Caller.start(() -> {
					Lease lease = this.registry.acquire(KEY, PATIENT);
					order.add(number);
					return lease.releaseAsync().join();
				}).awaitParked());
			}
		}
		held.close();
		callers.forEach((caller) -> assertThat(caller.value()).isTrue());
		assertThat(order).hasSize(9).isSorted();
	}

	@Test
	void theWaitOfAThreadEndsWithEmptyWhenAnotherInstanceKeepsTheKey() throws Exception {
		waitPassesWhileTheStoreIsAsked();
		assertThat(this.registry.tryAcquire(KEY, PATIENT.withWaitTime(Duration.ofSeconds(2)))).isEmpty();
		assertThat(this.store.acquires().count()).isOne();
	}

	@Test
	void theWaitOfAThreadEndsWithAnExceptionThatSaysWhoHasTheKey() {
		waitPassesWhileTheStoreIsAsked();
		Caller<Lease> caller = Caller
			.start(() -> this.registry.acquire(KEY, PATIENT.withWaitTime(Duration.ofSeconds(2))));
		assertThat(caller.failure()).isInstanceOfSatisfying(LockNotAcquiredException.class, (failure) -> {
			assertThat(failure.key()).isEqualTo(KEY);
			assertThat(failure.waited()).isEqualTo(Duration.ofSeconds(2));
			assertThat(failure.holders()).containsExactly(OTHER);
		});
	}

	@Test
	void theWaitOfACallEndsWithAnExceptionAndTheActionDoesNotRun() {
		waitPassesWhileTheStoreIsAsked();
		List<String> runs = new CopyOnWriteArrayList<>();
		Caller<Boolean> caller = Caller.start(
				() -> this.registry.call(KEY, PATIENT.withWaitTime(Duration.ofSeconds(2)), (scope) -> runs.add("ran")));
		assertThat(caller.failure()).isInstanceOf(LockNotAcquiredException.class);
		assertThat(runs).isEmpty();
	}

	@Test
	void tryLockOfABusyKeyIsFalseWithAndWithoutTime() throws Exception {
		LeasedLock lock = this.registry.obtain(KEY);
		busy();
		assertThat(lock.tryLock()).isFalse();
		assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
		assertThat(this.store.acquires().commands()).hasSize(3).noneMatch((command) -> command.enqueue());
		waitPassesWhileTheStoreIsAsked();
		assertThat(lock.tryLock(2, TimeUnit.SECONDS)).isFalse();
		assertThat(lock.holdCount()).isZero();
	}

	@Test
	void theLongestWaitDoesNotOverflow() {
		Lease held = this.engine.lease();
		Caller<Boolean> caller = Caller.start(() -> this.registry.obtain(KEY).tryLock(Long.MAX_VALUE, TimeUnit.DAYS))
			.awaitParked();
		assertThat(caller.isDone()).isFalse();
		held.close();
		assertThat(caller.value()).isTrue();
	}

	@Test
	void oneThreadWaitsForSeveralKeysOneAfterTheOther() throws Exception {
		try (Lease first = this.registry.acquire("a", PATIENT); Lease second = this.registry.acquire("b", PATIENT)) {
			assertThat(first.isValid()).isTrue();
			assertThat(second.isValid()).isTrue();
		}
		assertThat(this.store.releases().commands()).extracting(Release::key).containsExactly("b", "a");
	}

	private void busy() {
		this.store.acquires().answer((command) -> new Busy(OTHER, Duration.ofMinutes(5)));
	}

	private void waitPassesWhileTheStoreIsAsked() {
		this.store.acquires().answer((command) -> {
			this.engine.time().pause(Duration.ofSeconds(2));
			return new Busy(OTHER, Duration.ofMinutes(5));
		});
	}

	/**
	 * One way to acquire that can be interrupted.
	 */
	interface Attempt {

		Object on(LockRegistry registry) throws Exception;

	}

}
