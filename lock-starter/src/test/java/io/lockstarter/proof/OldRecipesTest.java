// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The races of the old recipes around {@code SETNX}: each first breaks the recipe, step
 * by step, and then is no race for ours.
 */
class OldRecipesTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofSeconds(10));

	private static final LockOptions SHORT = ONCE.withTtl(Duration.ofSeconds(1)).withRenew(false);

	private final RedisServer redis = RedisServers.start();

	private final RedisCommands<String, String> naive = this.redis.commands();

	private final Instance a = new Instance(this.redis.port());

	private final Instance b = new Instance(this.redis.port());

	@AfterEach
	void close() {
		this.a.close();
		this.b.close();
		this.redis.close();
	}

	@Test
	void crashBetweenSetnxAndExpireLocksForEverButOursExpires() throws InterruptedException {
		this.naive.setnx("naive", "a");
		// a crashes before it sends EXPIRE
		assertThat(this.naive.pttl("naive")).as("expires never").isEqualTo(-1);
		assertThat(this.naive.setnx("naive", "b")).isFalse();

		// The reply that is lost below must not be that the server lacks the script.
		this.b.registry().acquire("another", ONCE).close();
		try (FaultProxy proxy = new FaultProxy(this.redis.port()); Instance crashing = new Instance(proxy.port())) {
			proxy.loseReplyTo("{lock}lock:ours", false);
			var unused = crashing.registry().acquireAsync("ours", ONCE.withTtl(Duration.ofSeconds(1)));
			await().until(() -> this.naive.exists("{lock}lock:ours") == 1);
			// it crashes before it could send anything else
			proxy.cut();
			assertThat(this.naive.pttl("{lock}lock:ours")).isBetween(1L, 1000L);
			assertThat(this.b.registry().tryAcquire("ours", PATIENT)).isPresent();
		}
	}

	@Test
	void twoClientsThatBothSawTheLockExpiredBothTakeItButOursGoesToOne() throws InterruptedException {
		this.naive.set("naive", "expired at 12:00");
		// both have read that, and act on it
		this.naive.del("naive");
		assertThat(this.naive.setnx("naive", "a")).as("a holds").isTrue();
		this.naive.del("naive");
		assertThat(this.naive.setnx("naive", "b")).as("b holds, too").isTrue();

		this.naive.set("{lock}lock:ours", "crashed:1", SetArgs.Builder.px(60_000));
		assertThat(this.a.registry().tryAcquire("ours", ONCE)).isEmpty();
		assertThat(this.b.registry().tryAcquire("ours", ONCE)).isEmpty();
		this.naive.pexpire("{lock}lock:ours", 100);
		await().until(() -> this.naive.exists("{lock}lock:ours") == 0);
		Optional<Lease> first = this.a.registry().tryAcquire("ours", ONCE);
		assertThat(first).isPresent();
		assertThat(this.b.registry().tryAcquire("ours", ONCE)).isEmpty();
		assertThat(first.get().releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
	}

	@Test
	void slowHolderDeletesTheLockOfItsSuccessorButOursIsRefused() throws InterruptedException {
		this.naive.set("naive", "a", SetArgs.Builder.nx().px(100));
		await().until(() -> "OK".equals(this.naive.set("naive", "b", SetArgs.Builder.nx().px(60_000))));
		this.naive.del("naive");
		assertThat(this.naive.setnx("naive", "c")).as("c holds while b does").isTrue();

		Lease slow = this.a.registry().tryAcquire("ours", SHORT).orElseThrow();
		Lease successor = this.b.registry().tryAcquire("ours", PATIENT).orElseThrow();
		assertThat(slow.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(false);
		assertThat(successor.isValid()).isTrue();
		assertThat(this.naive.get("{lock}lock:ours")).startsWith(this.b.id() + ":");
		assertThat(this.a.registry().tryAcquire("ours", ONCE)).isEmpty();
		assertThat(successor.fencingToken()).isGreaterThan(slow.fencingToken());
		await().untilAsserted(() -> assertThat(this.a.events()).containsExactly("lost EXPIRED ours"));
	}

	@Test
	void recursionLocksItselfOutButOursIsReentrant() throws InterruptedException {
		assertThat(this.naive.setnx("naive", "a")).isTrue();
		assertThat(this.naive.setnx("naive", "a")).as("the same client, called by itself").isFalse();

		LeasedLock lock = this.a.registry().obtain("ours");
		assertThat(recurse(lock, 10)).isEqualTo(10);
		assertThat(lock.holdCount()).isZero();
		assertThat(this.b.registry().obtain("ours").tryLock()).isTrue();
	}

	private int recurse(LeasedLock lock, int depth) throws InterruptedException {
		if (depth == 0 || !lock.tryLock(1, TimeUnit.SECONDS)) {
			return 0;
		}
		try {
			return 1 + this.a.registry().call("ours", ONCE, (scope) -> recurse(lock, depth - 1));
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void crowdThatSeesALockExpireNeverHasTwoHolders() {
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger served = new AtomicInteger();
		for (int round = 0; round < 50; round++) {
			String key = "{lock}lock:ours";
			this.naive.set(key, "crashed:" + round, SetArgs.Builder.px(10));
			var one = this.a.registry()
				.acquireAsync("ours", PATIENT)
				.thenAccept((lease) -> hold(lease, holders, served));
			var two = this.b.registry()
				.acquireAsync("ours", PATIENT)
				.thenAccept((lease) -> hold(lease, holders, served));
			assertThat(one).succeedsWithin(Duration.ofSeconds(10));
			assertThat(two).succeedsWithin(Duration.ofSeconds(10));
		}
		assertThat(served).hasValue(100);
	}

	private static void hold(Lease lease, AtomicInteger holders, AtomicInteger served) {
		assertThat(holders.incrementAndGet()).isEqualTo(1);
		Thread.onSpinWait();
		holders.decrementAndGet();
		served.incrementAndGet();
		lease.close();
	}

}
