// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Defects of other libraries around waiting and interrupts, which are not ours.
 */
@SuppressWarnings("LockNotBeforeTry") // the release is what is looked at
class PeerWaitDefectsTest {

	private static final String KEY = "wanted";

	private static final String[] TRACES = { "{lock}lock:wanted", "{lock}queue:wanted" };

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final RedisServer redis = RedisServers.start();

	private final Instance instance = new Instance(this.redis.port());

	private final Instance other = new Instance(this.redis.port());

	private final LeasedLock lock = this.instance.registry().obtain(KEY, PATIENT);

	@BeforeEach
	void connect() throws InterruptedException {
		this.instance.registry().acquire("connect", LockOptions.defaults()).close();
		this.other.registry().acquire("connect", LockOptions.defaults()).close();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.other.close();
		this.redis.close();
	}

	/** Redisson: threw, yet the lock was taken and renewed for ever. */
	@Test
	void tryLockWithTheInterruptFlagSetThrowsAndTakesNothing() {
		CommandStats stats = new CommandStats(this.redis);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.lock.tryLock(1, TimeUnit.SECONDS));
		assertThat(Thread.interrupted()).as("flag, as the exception stands for it").isFalse();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.instance.registry().acquire(KEY, PATIENT));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> this.instance.registry().call(KEY, PATIENT, (scope) -> "never run"));
		assertThat(Thread.interrupted()).as("flag, as the exception is unchecked").isTrue();
		assertThat(stats.calls()).isEmpty();
	}

	/** Redisson: lock() swallowed the interrupt flag. */
	@Test
	void lockKeepsTheInterruptFlag() {
		Thread.currentThread().interrupt();
		this.lock.lock();
		assertThat(Thread.interrupted()).isTrue();
		this.lock.unlock();
	}

	@Test
	void lockThatIsInterruptedWhileItWaitsGoesOnWaitingAndKeepsTheFlag() throws Exception {
		Lease lease = this.other.registry().acquire(KEY, PATIENT);
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiting = start(() -> {
			this.lock.lock();
			flag.complete(Thread.currentThread().isInterrupted());
			this.lock.unlock();
		});
		awaitInQueue();
		waiting.interrupt();
		await().during(Duration.ofMillis(200)).until(() -> !flag.isDone());
		lease.close();
		assertThat(flag).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		waiting.join();
	}

	/** Spring Integration: threw another exception and lost the flag. */
	@Test
	void interruptWhileWaitingKeepsTypeAndFlagAndLeavesNothing() throws Exception {
		Lease lease = this.other.registry().acquire(KEY, PATIENT);
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiting = start(() -> {
			thrown.complete(catchThrowable(() -> this.lock.tryLock(1, TimeUnit.MINUTES)));
			flag.complete(Thread.currentThread().isInterrupted());
		});
		awaitInQueue();
		waiting.interrupt();
		assertThat(thrown).succeedsWithin(Duration.ofSeconds(5)).isExactlyInstanceOf(InterruptedException.class);
		assertThat(flag).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(false);
		await().until(() -> this.redis.commands().exists(TRACES[1]) == 0);
		lease.close();
		assertThat(this.redis.commands().exists(TRACES)).isZero();
	}

	@Test
	void interruptOfACallWhileWaitingKeepsTheFlagAndLeavesNothing() throws Exception {
		Lease lease = this.other.registry().acquire(KEY, PATIENT);
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiting = start(() -> {
			thrown.complete(catchThrowable(() -> this.instance.registry().call(KEY, PATIENT, (scope) -> "never run")));
			flag.complete(Thread.currentThread().isInterrupted());
		});
		awaitInQueue();
		waiting.interrupt();
		assertThat(thrown).succeedsWithin(Duration.ofSeconds(5)).isExactlyInstanceOf(LockInterruptedException.class);
		assertThat(flag).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		lease.close();
		await().until(() -> this.redis.commands().exists(TRACES) == 0);
	}

	/** Spring Integration: a local wait, then a full remote wait: 3.8 s. */
	@Test
	void tryLockOfFourSecondsBehindALocalWaiterTakesFourSeconds() throws Exception {
		Lease lease = this.other.registry().acquire(KEY, PATIENT);
		Thread first = start(() -> this.lock.tryLock(4, TimeUnit.SECONDS));
		awaitInQueue();
		long start = System.nanoTime();
		assertThat(this.lock.tryLock(4, TimeUnit.SECONDS)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(3990),
				Duration.ofMillis(7000));
		first.join();
		lease.close();
		await().until(() -> this.redis.commands().exists(TRACES) == 0);
	}

	/** klock: on a timeout the method ran without the lock. */
	@Test
	void actionDoesNotRunWithoutTheLock() throws InterruptedException {
		Lease lease = this.other.registry().acquire(KEY, PATIENT);
		AtomicBoolean run = new AtomicBoolean();
		LockOptions impatient = PATIENT.withWaitTime(Duration.ofMillis(100));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.instance.registry().call(KEY, impatient, (scope) -> run.getAndSet(true)))
			.satisfies((ex) -> assertThat(ex.holders()).singleElement().asString().startsWith(this.other.id()));
		assertThat(run).isFalse();
		lease.close();
	}

	private static Thread start(Failing action) {
		Thread thread = new Thread(() -> {
			catchThrowable(action);
		}, "waiting");
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private void awaitInQueue() {
		await().until(() -> this.redis.commands().zscore(TRACES[1], this.instance.id()) != null);
	}

	private static Throwable catchThrowable(Failing action) {
		try {
			action.run();
			return new AssertionError("Nothing was thrown");
		}
		catch (Exception ex) {
			return ex;
		}
	}

	/**
	 * What may fail.
	 */
	private interface Failing {

		void run() throws Exception;

	}

}
