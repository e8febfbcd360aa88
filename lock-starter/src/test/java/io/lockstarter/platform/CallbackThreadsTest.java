// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@link CallbackThreads} when no more threads can be started.
 */
@Timeout(30)
class CallbackThreadsTest {

	private final CountDownLatch blocked = new CountDownLatch(1);

	private final AtomicBoolean noThreads = new AtomicBoolean();

	private final CallbackThreads threads = new CallbackThreads(this::thread, Platform.system().timer("timer"));

	@Test
	void whatWaitsBehindABlockedCallbackRunsOnceThereAreThreadsAgain() {
		this.threads.start();
		this.threads.execute(this::block);
		this.noThreads.set(true);
		AtomicInteger runs = new AtomicInteger();
		for (int i = 0; i < 50; i++) {
			this.threads.execute(runs::incrementAndGet);
		}
		assertThat(runs).hasValue(0);
		this.noThreads.set(false);
		await().untilAsserted(() -> assertThat(runs).hasValue(50));
		this.blocked.countDown();
		this.threads.endWhenIdle();
	}

	@Test
	void whatComesAfterTheEndRunsOnceAlthoughNoThreadCanBeStartedAtFirst() {
		this.threads.endWhenIdle();
		this.noThreads.set(true);
		AtomicInteger runs = new AtomicInteger();
		this.threads.execute(runs::incrementAndGet);
		assertThat(runs).hasValue(0);
		this.noThreads.set(false);
		await().untilAsserted(() -> assertThat(runs).hasValue(1));
		CompletableFuture.runAsync(() -> {
		}, this.threads).join();
		assertThat(runs).hasValue(1);
	}

	@Test
	void lookThatComesAfterTheEndLeavesAThreadForEachTask() throws Exception {
		List<Runnable> looks = new ArrayList<>();
		CallbackThreads watched = new CallbackThreads(this::thread, new Timer() {

			@Override
			public long nanoTime() {
				return 0;
			}

			@Override
			public Runnable repeat(Runnable task, long pause) {
				throw new UnsupportedOperationException();
			}

			@Override
			public Runnable schedule(Runnable task, long delay) {
				looks.add(task);
				return () -> {
				};
			}

		});
		watched.start();
		watched.execute(this::block);
		CompletableFuture<Void> behind = CompletableFuture.runAsync(() -> {
		}, watched);
		await().until(() -> looks.size() == 1);
		this.blocked.countDown();
		behind.get(10, TimeUnit.SECONDS);
		watched.endWhenIdle();
		looks.get(0).run();
		CountDownLatch later = new CountDownLatch(1);
		watched.execute(() -> block(later));
		CompletableFuture.runAsync(() -> {
		}, watched).get(10, TimeUnit.SECONDS);
		later.countDown();
	}

	private Thread thread(Runnable task) {
		if (this.noThreads.get()) {
			throw new OutOfMemoryError("planted");
		}
		Thread thread = new Thread(task, "callbacks");
		thread.setDaemon(true);
		return thread;
	}

	private void block() {
		block(this.blocked);
	}

	private static void block(CountDownLatch until) {
		try {
			until.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
