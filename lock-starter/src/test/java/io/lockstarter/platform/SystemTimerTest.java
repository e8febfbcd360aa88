// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SystemTimer}: its thread, and moments in which the JVM has none.
 */
@Timeout(30)
class SystemTimerTest {

	private final AtomicBoolean noThreads = new AtomicBoolean();

	private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

	private final SystemTimer timer = new SystemTimer(this::thread, Duration.ofMillis(1));

	@AfterEach
	void end() {
		this.timer.end();
	}

	@Test
	void whatCouldNotBeScheduledNeverRunsAndWhatFollowsDoes() throws InterruptedException {
		this.noThreads.set(true);
		AtomicBoolean ran = new AtomicBoolean();
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> this.timer.schedule(() -> ran.set(true), 0));
		this.noThreads.set(false);
		assertThat(next().await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(ran).isFalse();
	}

	@Test
	void threadEndsWhenItIsIdleUnlessItWasStarted() throws InterruptedException {
		assertThat(next().await(10, TimeUnit.SECONDS)).isTrue();
		await().until(() -> !isAlive());
		this.timer.start();
		Thread kept = this.thread.get();
		assertThat(next().await(10, TimeUnit.SECONDS)).isTrue();
		this.noThreads.set(true);
		assertThat(next().await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.thread.get()).isSameAs(kept);
		this.timer.endWhenIdle();
		await().until(() -> !isAlive());
	}

	@Test
	void whatIsRepeatedComesAgainThoughItThrewAndNeedsNoThreadUntilItIsTakenBack() throws InterruptedException {
		this.timer.start();
		CountDownLatch times = new CountDownLatch(3);
		Runnable end = this.timer.repeat(() -> {
			times.countDown();
			throw new OutOfMemoryError("planted");
		}, TimeUnit.MILLISECONDS.toNanos(1));
		this.noThreads.set(true);
		assertThat(times.await(10, TimeUnit.SECONDS)).isTrue();
		end.run();
		this.timer.endWhenIdle();
		await().until(() -> !isAlive());
	}

	@Test
	void nothingRunsAfterTheEnd() {
		AtomicBoolean ran = new AtomicBoolean();
		this.timer.start();
		this.timer.schedule(() -> ran.set(true), TimeUnit.MILLISECONDS.toNanos(20));
		this.timer.end();
		this.timer.schedule(() -> ran.set(true), 0);
		await().until(() -> !isAlive());
		assertThat(ran).isFalse();
	}

	private CountDownLatch next() {
		CountDownLatch next = new CountDownLatch(1);
		this.timer.schedule(next::countDown, TimeUnit.MILLISECONDS.toNanos(1));
		return next;
	}

	private boolean isAlive() {
		Thread started = this.thread.get();
		return started != null && started.isAlive();
	}

	private Thread thread(Runnable task) {
		if (this.noThreads.get()) {
			throw new InternalError("no thread");
		}
		Thread created = new Thread(task, "timer");
		created.setDaemon(true);
		this.thread.set(created);
		return created;
	}

}
