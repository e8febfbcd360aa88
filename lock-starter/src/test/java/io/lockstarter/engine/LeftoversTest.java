// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.store.LockStore.Acquired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that nothing stays behind: no waiter, timer, queue or key, however an acquirer
 * ended.
 */
@Timeout(120)
class LeftoversTest {

	private static final int KEYS = 4;

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	@Test
	void nothingIsLeftOfAcquirersThatWereServedTimedOutInterruptedOrCancelled() throws Exception {
		MemoryLockStore store = new MemoryLockStore();
		RecordedEvents events = new RecordedEvents();
		List<DefaultLockRegistry> registries = new ArrayList<>();
		for (String instance : List.of("a", "b")) {
			registries.add(new DefaultLockRegistry(instance, store, settings(), List.of(events)));
		}
		Exclusion exclusion = new Exclusion();
		List<Caller<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			LockRegistry registry = registries.get(i % 2);
			callers.add(Caller.start(() -> acquireInAllWays(registry, exclusion, 1_000)));
		}
		while (callers.stream().anyMatch((caller) -> !caller.isDone())) {
			callers.get(ThreadLocalRandom.current().nextInt(callers.size())).interrupt();
			LockSupport.parkNanos(500_000);
		}
		int served = 0;
		for (Caller<Integer> caller : callers) {
			served += caller.value();
		}
		assertThat(served).isGreaterThan(1_000);
		assertThat(exclusion.violations()).isZero();
		assertThat(events.losses()).isEmpty();
		assertThat(events.unconfirmed()).isEmpty();
		await().untilAsserted(() -> assertThat(MemoryStores.size(store)).isZero());
		for (DefaultLockRegistry registry : registries) {
			// Would wait for the grace time if it still knew of a holder or a waiter.
			assertThat(Caller.start(() -> {
				registry.stop();
				return registry.isRunning();
			}).value()).isFalse();
		}
	}

	@Test
	void noTimerIsLeftWhenAllIsReleased() {
		ManualEngine engine = new ManualEngine();
		engine.startListening();
		for (int i = 0; i < 1_000; i++) {
			String key = "key" + i % 7;
			Lease lease = engine.lease(key, DEFAULTS.withTtl(Duration.ofMillis(100 + i)));
			CompletableFuture<Lease> cancelled = engine.request(key, DEFAULTS);
			CompletableFuture<Lease> served = engine.request(key, DEFAULTS);
			CompletableFuture<Lease> late = engine.request(key, DEFAULTS.withWaitTime(Duration.ofMillis(5)));
			engine.tickMillis(5);
			cancelled.cancel(true);
			lease.close();
			served.join().close();
			assertThat(late).isCompletedExceptionally();
		}
		assertThat(engine.time().scheduled()).isLessThan(10);
		engine.tick(ManualEngine.TTL);
		assertThat(engine.time().scheduled()).isZero();
	}

	static Stream<Named<BiConsumer<ScriptedStore, ManualTiming>>> failures() {
		return Stream.of(
				Named.of("busy",
						(store, time) -> store.acquires()
							.answer((command) -> ScriptedStore.busy("other:1", ManualEngine.TTL))),
				Named.of("refused",
						(store, time) -> store.acquires().fail(new LockStoreException("no more memory", false, null))),
				Named.of("late", (store, time) -> store.acquires().answer((command) -> {
					time.pause(ManualEngine.TTL);
					return store.granted();
				})));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aKeyIsForgottenThatCouldNotBeAcquired(BiConsumer<ScriptedStore, ManualTiming> failure) {
		ManualTiming time = new ManualTiming();
		ScriptedStore store = new ScriptedStore();
		LockEngine engine = new LockEngine(ManualEngine.INSTANCE, new OwnerIdSequence(time), store,
				ManualEngine.settings(), time.timing(), List.of(), List.of(), Runnable::run);
		engine.open();
		failure.accept(store, time);
		CompletableFuture<Lease> request = new AcquireOperations(engine, (slots) -> {
		}).acquireAsync(ManualEngine.KEY,
				Terms.of(DEFAULTS.withWaitTime(Duration.ZERO), ManualEngine.settings(), LockOptions.MAX_DURATION));
		assertThat(request).isCompletedExceptionally();
		engine.close();
		assertThat(engine.drained()).as("no key that somebody still has a use for").isCompleted();
	}

	@Test
	void aLeaseNeedsNoTimerOfItsOwn() {
		ManualEngine engine = new ManualEngine();
		for (int i = 0; i < 10_000; i++) {
			assertThat(engine.lease("key" + i, DEFAULTS).isValid()).isTrue();
		}
		assertThat(engine.time().scheduled()).isLessThanOrEqualTo(3);
	}

	@Test
	void whatNobodyKnowsAnyMoreIsCollected() {
		ManualEngine engine = new ManualEngine();
		List<WeakReference<Lease>> leases = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Lease lease = engine.lease("key" + i, DEFAULTS);
			leases.add(new WeakReference<>(lease));
			lease.close();
		}
		engine.tick(ManualEngine.TTL);
		await().untilAsserted(() -> {
			System.gc();
			assertThat(leases).allMatch((lease) -> lease.get() == null);
		});
		assertThat(engine.registry().isRunning()).isTrue();
	}

	@Test
	void anAnswerThatCameIsNotWatchedAnyMore() {
		ManualEngine engine = new ManualEngine();
		ScriptedStore store = engine.store();
		store.acquires().hold();
		List<WeakReference<Acquired>> answers = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Lease> request = engine.request("key" + i, DEFAULTS);
			Acquired answer = store.granted();
			answers.add(new WeakReference<>(answer));
			store.acquires().last().answer(answer);
			request.join().close();
		}
		store.acquires().calls().clear();
		await().untilAsserted(() -> {
			System.gc();
			assertThat(answers).allMatch((answer) -> answer.get() == null);
		});
		assertThat(engine.registry().isRunning()).isTrue();
	}

	private static int acquireInAllWays(LockRegistry registry, Exclusion exclusion, int times) {
		int served = 0;
		for (int i = 0; i < times; i++) {
			ThreadLocalRandom random = ThreadLocalRandom.current();
			int key = random.nextInt(KEYS);
			LockOptions options = DEFAULTS.withWaitTime(Duration.ofNanos(random.nextInt(3_000_000)));
			try {
				served += switch (random.nextInt(4)) {
					case 0 -> tryAcquire(registry, exclusion, key, options);
					case 1 -> tryAcquire(registry, exclusion, key, options.withWaitTime(Duration.ZERO));
					case 2 -> tryLock(registry, exclusion, key, random.nextInt(3_000_000));
					default -> acquireAsync(registry, exclusion, key, options, random.nextInt(400_000));
				};
			}
			catch (InterruptedException ex) {
				// As good as served here: it must leave nothing behind.
			}
		}
		return served;
	}

	private static int tryAcquire(LockRegistry registry, Exclusion exclusion, int key, LockOptions options)
			throws InterruptedException {
		Optional<Lease> lease = registry.tryAcquire("key" + key, options);
		lease.ifPresent((held) -> {
			exclusion.run(key);
			held.close();
		});
		return lease.isPresent() ? 1 : 0;
	}

	private static int tryLock(LockRegistry registry, Exclusion exclusion, int key, long nanos)
			throws InterruptedException {
		LeasedLock lock = registry.obtain("key" + key);
		if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
			return 0;
		}
		try {
			exclusion.run(key);
		}
		finally {
			lock.unlock();
		}
		return 1;
	}

	private static int acquireAsync(LockRegistry registry, Exclusion exclusion, int key, LockOptions options,
			long nanos) {
		AtomicInteger served = new AtomicInteger();
		CompletableFuture<Lease> request = registry.acquireAsync("key" + key, options);
		CompletableFuture<Boolean> released = request.thenCompose((lease) -> {
			exclusion.run(key);
			served.incrementAndGet();
			return lease.releaseAsync();
		});
		LockSupport.parkNanos(nanos);
		request.cancel(true);
		released.exceptionally((failure) -> false).join();
		return served.get();
	}

	/**
	 * Return settings with a grace time that no test would wait for.
	 */
	private static RegistrySettings settings() {
		return RegistrySettings.defaults()
			.withTtl(ManualEngine.TTL)
			.withSlice(Duration.ofMillis(5))
			.withShutdownGrace(Duration.ofHours(1));
	}

	/**
	 * Notices when two run under one key.
	 */
	private static final class Exclusion {

		private final AtomicReferenceArray<Thread> inside = new AtomicReferenceArray<>(KEYS);

		private final AtomicInteger violations = new AtomicInteger();

		void run(int key) {
			if (!this.inside.compareAndSet(key, null, Thread.currentThread())) {
				this.violations.incrementAndGet();
			}
			Thread.onSpinWait();
			if (!this.inside.compareAndSet(key, Thread.currentThread(), null)) {
				this.violations.incrementAndGet();
			}
		}

		int violations() {
			return this.violations.get();
		}

	}

}
