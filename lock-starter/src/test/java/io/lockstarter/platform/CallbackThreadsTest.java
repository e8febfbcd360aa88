/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
