// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LockBusyEvent;
import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.platform.Platform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Listeners of each lock that is acquired, stays busy or is released.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class FrequentEventsTest {

	private final LockNotAcquiredException busy = new LockNotAcquiredException("k", Duration.ZERO, List.of());

	private static final LockOptions STOCK = LockOptions.defaults().withName("stock").withWaitTime(Duration.ZERO);

	@Test
	void listenerIsToldInTheOrderOfTheEvents() throws Exception {
		Queue<String> told = new ConcurrentLinkedQueue<>();
		LockListener broken = new LockListener() {

			@Override
			public void acquired(LeaseInfo lease, Duration waited) {
				throw new IllegalStateException("broken");
			}

		};
		LockListener recording = new LockListener() {

			@Override
			public void acquired(LeaseInfo lease, Duration waited) {
				told.add("acquired " + lease.key() + " " + lease.name() + " " + !waited.isNegative());
			}

			@Override
			public void busy(LockBusyEvent event) {
				told.add("busy " + event.key() + " " + event.name() + " " + String.join(",", event.holders()));
			}

			@Override
			public void released(LeaseInfo lease, Duration held) {
				told.add("released " + lease.key() + " " + !held.isNegative());
			}

		};
		DefaultLockRegistry registry = registry(broken, recording);
		Lease lease = registry.acquire("stock:42", STOCK);
		assertThat(registry.tryAcquire("stock:42", STOCK)).isEmpty();
		lease.close();
		await().until(() -> told.size() == 3);
		assertThat(told.stream().map((event) -> event.replaceFirst(":\\d+$", ":1")))
			.containsExactly("acquired stock:42 stock true", "busy stock:42 stock app:1", "released stock:42 true");
		registry.stop();
	}

	@Test
	void slowListenerDelaysNeitherAcquirersNorTheReportOfALoss() throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch lost = new CountDownLatch(1);
		DefaultLockRegistry registry = registry(new LockListener() {

			@Override
			public void acquired(LeaseInfo lease, Duration waited) {
				awaitUninterruptibly(blocked);
			}

			@Override
			public void lost(LeaseInfo lease, LossCause cause) {
				lost.countDown();
			}

		});
		registry.acquire("lost", LockOptions.defaults().withRenew(false).withTtl(Duration.ofMillis(50)));
		for (int i = 0; i < 100; i++) {
			registry.acquire("stock:42", LockOptions.defaults()).close();
		}
		lost.await();
		blocked.countDown();
		registry.stop();
	}

	@Test
	void eventsThatListenersDoNotKeepUpWithAreDroppedWithOneWarning(CapturedOutput output) throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		AtomicInteger told = new AtomicInteger();
		DefaultLockRegistry registry = registry(new LockListener() {

			@Override
			public void released(LeaseInfo lease, Duration held) {
				awaitUninterruptibly(blocked);
				told.incrementAndGet();
			}

		});
		for (int i = 0; i < 6_000; i++) {
			registry.acquire("dropped", LockOptions.defaults()).close();
		}
		blocked.countDown();
		// Every other event is a release. One of them is with the listener, not in the
		// queue.
		await().untilAsserted(() -> assertThat(told.get()).isBetween(5_000, 5_001));
		await().untilAsserted(() -> assertThat(
				output.toString().lines().filter((line) -> line.contains("lock 'dropped' was dropped")))
			.hasSize(1));
		registry.stop();
	}

	@Test
	void executorThatRejectsHarmsNobody() {
		News news = news(new Both(), (task) -> {
			throw new RejectedExecutionException();
		});
		news.failed("k", "n", 1, this.busy);
	}

	@Test
	void listenerThatImplementsNoFrequentMethodIsNotCalled() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		LockListener losses = new LockListener() {

			@Override
			public void lost(LeaseInfo lease, LossCause cause) {
			}

		};
		news(losses, tasks::add).failed("k", "n", 1, this.busy);
		assertThat(tasks).isEmpty();
		assertThat(News.isInterested(Both.class)).isTrue();
		assertThat(News.isInterested(LockListener.class)).isFalse();
	}

	@Test
	void onlyWhatStayedBusyIsToldAsBusy() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		News news = news(new Both(), tasks::add);
		news.failed("k", "n", 1, new IllegalStateException("unavailable"));
		news.gaveUp("k", "n", 1);
		assertThat(tasks).isEmpty();
		news.failed("k", "n", 1, this.busy);
		assertThat(tasks).hasSize(1);
	}

	private static News news(LockListener listener, Executor frequent) {
		return new News(List.of(listener), List.of(), frequent, Timing.of(Platform.system()));
	}

	private static DefaultLockRegistry registry(LockListener... listeners) {
		return new DefaultLockRegistry("app", new MemoryLockStore(), ManualEngine.settings(), List.of(listeners));
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	static final class Both implements LockListener {

		@Override
		public void released(LeaseInfo lease, Duration held) {
		}

	}

}
