// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Defects of other libraries around threads and grants, which are not ours.
 */
class PeerThreadDefectsTest {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final RedisServer redis = RedisServers.start();

	private final Instance holder = new Instance(this.redis.port());

	private final Instance impatient = new Instance(this.redis.port());

	private final Instance patient = new Instance(this.redis.port());

	private int unguarded;

	@AfterEach
	void close() {
		this.holder.close();
		this.impatient.close();
		this.patient.close();
		this.redis.close();
	}

	/** Redisson: "not locked by current thread" from asynchronous code. */
	@Test
	void leaseIsReleasedByAnotherThreadThanAcquiredIt() throws Exception {
		ExecutorService one = Executors.newSingleThreadExecutor();
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			Lease lease = one.submit(() -> this.holder.registry().acquire("async", PATIENT)).get();
			assertThat(other.submit(() -> lease.releaseAsync().join()).get()).isTrue();
			var chain = this.holder.registry()
				.acquireAsync("async", PATIENT)
				.thenApplyAsync((held) -> held, one)
				.thenComposeAsync(Lease::releaseAsync, other);
			assertThat(chain).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		}
		finally {
			one.shutdownNow();
			other.shutdownNow();
		}
		assertThat(this.redis.commands().exists("{lock}lock:async")).isZero();
	}

	/** Redisson: the same from virtual threads. */
	@Test
	void virtualThreadsLockAndUnlock() throws Exception {
		assumeTrue(Runtime.version().feature() >= 21, "JDK without virtual threads");
		Method factory = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
		ExecutorService virtual = (ExecutorService) factory.invoke(null);
		try {
			List<Future<Boolean>> sections = new ArrayList<>();
			for (int i = 0; i < 500; i++) {
				Instance instance = (i % 2 == 0) ? this.holder : this.patient;
				sections.add(virtual.submit(section(instance.registry().obtain("virtual"))));
			}
			for (Future<Boolean> section : sections) {
				assertThat(section.get(30, TimeUnit.SECONDS)).isTrue();
			}
			assertThat(this.unguarded).isEqualTo(500);
		}
		finally {
			virtual.shutdownNow();
		}
	}

	private Callable<Boolean> section(LeasedLock lock) {
		return () -> {
			lock.lock();
			try {
				int before = this.unguarded;
				LockSupport.parkNanos(1000);
				this.unguarded = before + 1;
				return lock.holdCount() == 1;
			}
			finally {
				lock.unlock();
			}
		};
	}

	/** Failsafe: a waiter that had timed out swallowed the next permit. */
	@Test
	void releaseGoesPastALocalWaiterThatTimedOut() throws InterruptedException {
		Lease lease = this.holder.registry().acquire("grant", PATIENT);
		var first = this.holder.registry().acquireAsync("grant", PATIENT.withWaitTime(Duration.ofMillis(50)));
		CompletableFuture<Lease> second = this.holder.registry().acquireAsync("grant", PATIENT);
		assertThat(first).failsWithin(Duration.ofSeconds(5));
		lease.close();
		assertThat(second).succeedsWithin(Duration.ofSeconds(10));
		second.join().close();
	}

	@Test
	void releaseGoesPastAnInstanceWhoseWaiterTimedOut() throws InterruptedException {
		Lease lease = this.holder.registry().acquire("grant", PATIENT);
		var first = this.impatient.registry().tryAcquire("grant", PATIENT.withWaitTime(Duration.ofMillis(200)));
		CompletableFuture<Lease> second = this.patient.registry().acquireAsync("grant", PATIENT);
		assertThat(first).isEmpty();
		lease.close();
		assertThat(second).succeedsWithin(Duration.ofSeconds(10));
		second.join().close();
	}

	/**
	 * A lost grant would stay so up to the poll interval or the ttl, both 30 s.
	 */
	@Test
	void waiterThatTimesOutAtTheMomentOfTheReleaseSwallowsNoGrant() throws Exception {
		int granted = 0;
		for (int round = 0; round < 150; round++) {
			Lease lease = this.holder.registry().acquire("grant", PATIENT);
			Duration wait = Duration.ofNanos(1_000_000L + round % 15 * 200_000L);
			var first = this.impatient.registry().acquireAsync("grant", PATIENT.withWaitTime(wait)).handle(this::close);
			CompletableFuture<Lease> second = this.patient.registry().acquireAsync("grant", PATIENT);
			CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS).execute(lease::close);
			assertThat(second).as("round " + round).succeedsWithin(Duration.ofSeconds(10));
			second.join().close();
			granted += first.get(5, TimeUnit.SECONDS) ? 1 : 0;
		}
		System.out.printf("A waiter timed out when the lock was released: %d of 150 were granted%n", granted);
	}

	private boolean close(Lease lease, Throwable timedOut) {
		Optional.ofNullable(lease).ifPresent(Lease::close);
		return lease != null;
	}

}
