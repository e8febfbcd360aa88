// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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

	private Thread thread(Runnable task) {
		if (this.noThreads.get()) {
			throw new OutOfMemoryError("planted");
		}
		Thread thread = new Thread(task, "callbacks");
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

}
