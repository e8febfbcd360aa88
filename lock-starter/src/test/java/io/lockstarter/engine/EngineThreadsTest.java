// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The real threads of a registry: what runs where, behind what, and what happens if no
 * more of them can be started.
 */
@Timeout(30)
class EngineThreadsTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final CountDownLatch blocked = new CountDownLatch(1);

	private final AtomicBoolean noThreads = new AtomicBoolean();

	private final ScriptedStore store = new ScriptedStore();

	private final RecordedEvents events = new RecordedEvents();

	private final SlowListener slow = new SlowListener();

	private final DefaultLockRegistry registry = new DefaultLockRegistry("app", this.store, ManualEngine.settings(),
			List.of(this.slow, this.events), List.of(), new ForwardingPlatform(this::thread));

	@AfterEach
	void stop() {
		this.blocked.countDown();
		this.registry.stop();
	}

	@Test
	void whoComesFirstIsToldThatThereIsNoThreadAndNothingIsAcquired() throws InterruptedException {
		this.noThreads.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.registry.acquire("key", DEFAULTS));
		assertThat(this.store.journal()).isEmpty();
		this.noThreads.set(false);
		assertThat(this.registry.acquire("key", DEFAULTS).isValid()).isTrue();
	}

	/**
	 * Nobody looks any more whether tasks wait.
	 */
	@Test
	void afterTheStopNobodyWaitsBehindActionsThatBlock() {
		Platform platform = new ForwardingPlatform(this::thread);
		Timer timer = platform.timer("timer");
		Workers workers = platform.workers("worker", timer);
		timer.start();
		workers.start();
		timer.end();
		workers.endWhenIdle();
		CompletableFuture<Boolean> called = new CompletableFuture<>();
		for (int i = 0; i < 3; i++) {
			workers.execute(this::block);
		}
		workers.execute(() -> called.complete(true));
		assertThat(called.join()).isTrue();
	}

	@Test
	void nothingNeedsANewThreadOnceAKeyWasAcquired() {
		this.blocked.countDown();
		this.registry.acquireAsync("first", DEFAULTS).join().close();
		this.noThreads.set(true);
		Lease lease = this.registry.acquireAsync("key", DEFAULTS.withTtl(Duration.ofMillis(300)).withRenew(false))
			.join();
		CompletableFuture<LossCause> lost = new CompletableFuture<>();
		lease.onLost(lost::complete);
		assertThat(lost.join()).isEqualTo(LossCause.EXPIRED);
		this.registry.acquireAsync("renewed", DEFAULTS.withTtl(Duration.ofSeconds(3))).join();
		await().until(() -> this.store.renewals().count() > 0);
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:1", Duration.ofHours(1)));
		CompletableFuture<Lease> waiting = this.registry.acquireAsync("key",
				DEFAULTS.withWaitTime(Duration.ofMillis(300)));
		assertThat(failure(waiting)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void leasesAreDeliveredAndWaitsEndWhileTheCommonPoolIsBlocked() {
		for (int i = 0; i < 2 * Math.max(1, ForkJoinPool.getCommonPoolParallelism()); i++) {
			ForkJoinPool.commonPool().execute(this::block);
		}
		Lease lease = this.registry.acquireAsync("key", DEFAULTS).join();
		assertThat(failure(this.registry.acquireAsync("key", DEFAULTS.withWaitTime(Duration.ofMillis(100)))))
			.isInstanceOf(LockNotAcquiredException.class);
		assertThat(lease.extendAsync(Duration.ofMinutes(1)).join()).isTrue();
		assertThat(lease.releaseAsync().join()).isTrue();
	}

	@Test
	void leasesAreDeliveredAndWaitsEndBehindDependentActionsThatBlock() {
		this.store.acquires().hold();
		List<CompletableFuture<Void>> blocking = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			blocking.add(this.registry.acquireAsync("blocking" + i, DEFAULTS).thenAccept((lease) -> block()));
		}
		this.store.acquires().calls().forEach((call) -> call.answer(this.store.granted()));
		this.store.acquires().answer((command) -> this.store.granted());
		Lease lease = this.registry.acquireAsync("key", DEFAULTS).join();
		assertThat(failure(this.registry.acquireAsync("key", DEFAULTS.withWaitTime(Duration.ofMillis(100)))))
			.isInstanceOf(LockNotAcquiredException.class);
		assertThat(lease.releaseAsync().join()).isTrue();
		assertThat(blocking).noneMatch(CompletableFuture::isDone);
	}

	@Test
	void lossesOfOtherLeasesAreToldWhileAListenerAndALossActionBlock() {
		Lease first = this.registry.acquireAsync("first", DEFAULTS).join();
		first.onLost((cause) -> block());
		Lease second = this.registry.acquireAsync("second", DEFAULTS).join();
		CompletableFuture<LossCause> told = new CompletableFuture<>();
		second.onLost(told::complete);
		lose(first);
		await().untilAsserted(() -> assertThat(this.slow.entered).hasValue(1));
		lose(second);
		assertThat(told.join()).isEqualTo(LossCause.FORCED);
		await().untilAsserted(() -> assertThat(this.events.losses()).extracting(RecordedEvents.Loss::lease)
			.containsExactly(first, second));
		assertThat(this.slow.entered).as("one call at a time").hasValue(1);
		this.blocked.countDown();
		await().untilAsserted(() -> assertThat(this.slow.told).containsExactly("first", "second"));
	}

	private void lose(Lease lease) {
		this.store.connection().forced(lease.key(), lease.ownerId());
	}

	private Thread thread(Runnable task, String name) {
		if (this.noThreads.get()) {
			throw new OutOfMemoryError("planted");
		}
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	private void block() {
		try {
			this.blocked.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static Throwable failure(CompletableFuture<?> future) {
		return Completions.cause(future.orTimeout(10, TimeUnit.SECONDS).handle((value, thrown) -> thrown).join());
	}

	/**
	 * Blocks at each loss.
	 */
	private final class SlowListener implements LockListener {

		private final AtomicInteger entered = new AtomicInteger();

		private final List<String> told = new CopyOnWriteArrayList<>();

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			this.entered.incrementAndGet();
			block();
			this.told.add(lease.key());
		}

	}

}
