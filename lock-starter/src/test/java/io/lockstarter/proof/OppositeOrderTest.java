// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two threads take the same two locks, one after the other, in opposite order: each has
 * what the other waits for. {@link TransfersTest} shows how to avoid that.
 */
class OppositeOrderTest {

	private static final Duration WAIT = Duration.ofMillis(500);

	private static final LockOptions OPTIONS = LockOptions.defaults().withWaitTime(WAIT);

	private final RedisServer redis = RedisServers.start();

	private final Instance one = new Instance(this.redis.port());

	private final Instance other = new Instance(this.redis.port());

	private final CyclicBarrier barrier = new CyclicBarrier(2);

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void twoThreadsOfOneInstanceBothTimeOut() {
		assertBothTimeOut(this.one, this.one);
	}

	@Test
	void threadsOfTwoInstancesBothTimeOut() {
		assertBothTimeOut(this.one, this.other);
	}

	private void assertBothTimeOut(Instance first, Instance second) {
		CompletableFuture<Duration> there = start(first, "a", "b");
		CompletableFuture<Duration> back = start(second, "b", "a");
		for (CompletableFuture<Duration> waited : List.of(there, back)) {
			assertThat(waited).succeedsWithin(Duration.ofSeconds(20));
			assertThat(waited.join()).isBetween(WAIT.minusMillis(5), WAIT.plusSeconds(5));
		}
		await().until(() -> this.redis.keys("{lock}lock:?").isEmpty());
		assertThat(this.redis.keys("{lock}queue:?")).isEmpty();
		for (Instance instance : List.of(first, second)) {
			instance.registry().obtainAll(List.of("a", "b"), OPTIONS).lock();
			instance.registry().obtainAll(List.of("b", "a"), OPTIONS).unlock();
			assertThat(instance.events()).isEmpty();
		}
	}

	/**
	 * Take one lock, wait in vain for the other while the first is held, and say for how
	 * long.
	 */
	private CompletableFuture<Duration> start(Instance instance, String held, String wanted) {
		CompletableFuture<Duration> waited = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try (Lease lease = instance.registry().acquire(held, OPTIONS)) {
				this.barrier.await(10, TimeUnit.SECONDS);
				long start = System.nanoTime();
				Optional<Lease> second = instance.registry().tryAcquire(wanted, OPTIONS);
				Duration duration = Duration.ofNanos(System.nanoTime() - start);
				this.barrier.await(10, TimeUnit.SECONDS);
				assertThat(second).isEmpty();
				assertThat(lease.isValid()).isTrue();
				waited.complete(duration);
			}
			catch (Exception | AssertionError ex) {
				waited.completeExceptionally(ex);
			}
		}, "taker");
		thread.setDaemon(true);
		thread.start();
		return waited;
	}

}
