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
package io.lockstarter.quorum;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link ExecutorTimer} when the JVM has no thread for a moment.
 */
class ExecutorTimerTest {

	private final AtomicBoolean noThreads = new AtomicBoolean(true);

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, (task) -> {
		if (this.noThreads.get()) {
			throw new InternalError("no thread");
		}
		Thread thread = new Thread(task, "lock-quorum");
		thread.setDaemon(true);
		return thread;
	});

	@Test
	void whatCouldNotBeScheduledNeverRunsAndWhatFollowsDoes() throws InterruptedException {
		ExecutorTimer timer = new ExecutorTimer(this.executor);
		AtomicBoolean ran = new AtomicBoolean();
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> timer.schedule(() -> ran.set(true), 0));
		this.noThreads.set(false);
		CountDownLatch next = new CountDownLatch(1);
		timer.schedule(next::countDown, TimeUnit.MILLISECONDS.toNanos(1));
		assertThat(next.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(ran).isFalse();
		this.executor.shutdown();
	}

}
