// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Defects of other libraries around leases and their renewal, which are not ours.
 */
class PeerLeaseDefectsTest {

	private static final LockOptions SHORT = LockOptions.defaults().withTtl(Duration.ofMillis(500)).withRenew(false);

	private static final LockOptions RENEWED = LockOptions.defaults().withTtl(Duration.ofMillis(3500));

	private final RedisServer redis = RedisServers.start();

	private final RedisCommands<String, String> commands = this.redis.commands();

	private final Instance instance = new Instance(this.redis.port());

	@BeforeEach
	void connect() throws InterruptedException {
		this.instance.registry().acquire("connect", LockOptions.defaults()).close();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.redis.close();
	}

	/**
	 * Redisson 4.7.0: the short lease time stayed in the shared lock object, and the
	 * watchdog came too late.
	 */
	@Test
	void watchdogLockAfterA500MsLeaseOfTheSameKeyIsKept() {
		this.instance.registry().call("shared", SHORT, (scope) -> null);
		LeasedLock lock = this.instance.registry().obtain("shared");
		assertThat(lock.tryLock()).isTrue();
		assertThat(this.commands.pttl("{lock}lock:shared")).isGreaterThan(20_000);
		Lease lease = lock.lease();
		await().during(Duration.ofMillis(800)).until(lease::isValid);
		lock.unlock();
	}

	@Test
	void watchdogLockThatIsHandedOnFromA500MsLeaseIsKept() throws InterruptedException {
		Lease first = this.instance.registry().acquire("shared", SHORT);
		var next = this.instance.registry().acquireAsync("shared", LockOptions.defaults());
		first.close();
		Lease lease = next.join();
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(20));
		assertThat(this.commands.pttl("{lock}lock:shared")).isGreaterThan(20_000);
		await().during(Duration.ofMillis(800)).until(lease::isValid);
		lease.close();
	}

	@Test
	void leaseWithoutRenewalThatIsHandedOnFromAWatchdogLockEndsInTime() throws InterruptedException {
		Lease first = this.instance.registry().acquire("shared", LockOptions.defaults());
		var next = this.instance.registry().acquireAsync("shared", SHORT);
		first.close();
		assertThat(next.join().remaining()).isLessThanOrEqualTo(Duration.ofMillis(500));
		assertThat(this.commands.pttl("{lock}lock:shared")).isLessThanOrEqualTo(500);
		await().atMost(Duration.ofSeconds(10)).until(() -> this.commands.exists("{lock}lock:shared") == 0);
	}

	/** Redisson: a lost lock was dropped by the watchdog without a word. */
	@Test
	void deletedLockIsToldAtTheNextRenewal() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("lost", RENEWED);
		CompletableFuture<Object> told = new CompletableFuture<>();
		lease.onLost(told::complete);
		this.commands.del("{lock}lock:lost");
		assertThat(told).succeedsWithin(Duration.ofSeconds(10)).hasToString("TAKEN");
		assertThat(lease.isValid()).isFalse();
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost TAKEN lost"));
	}

	@Test
	void overtakenLockIsToldAndLeftAlone() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("lost", RENEWED);
		this.commands.set("{lock}lock:lost", "another:1");
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost TAKEN lost"));
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
		assertThat(this.commands.get("{lock}lock:lost")).isEqualTo("another:1");
		assertThat(this.commands.pttl("{lock}lock:lost")).isEqualTo(-1);
	}

	/** ShedLock: deletes without an owner check by default. */
	@Test
	void releaseOfALockThatAnotherOwnerHasLeavesItAndTellsTheLoss() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("lost", LockOptions.defaults());
		this.commands.set("{lock}lock:lost", "another:1");
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
		assertThat(this.commands.get("{lock}lock:lost")).isEqualTo("another:1");
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost TAKEN lost"));
	}

	/** Spring Integration: every extra reentrant hold leaked a renewal task. */
	@Test
	void nestedHoldsAreRenewedOnceAndNoMoreAfterTheRelease() {
		LeasedLock lock = this.instance.registry().obtain("nested", RENEWED);
		for (int i = 0; i < 50; i++) {
			assertThat(lock.tryLock()).isTrue();
		}
		CommandStats stats = new CommandStats(this.redis);
		await().during(Duration.ofSeconds(2)).until(() -> stats.calls("evalsha") <= 15);
		assertThat(this.instance.events()).isEmpty();
		await().until(() -> stats.calls("pexpire") >= 1);
		assertThat(stats.calls("pexpire")).as("renewals in two seconds and a bit, one each second").isLessThan(15);
		for (int i = 0; i < 50; i++) {
			lock.unlock();
		}
		stats.restart();
		await().during(Duration.ofMillis(500)).until(() -> stats.calls("evalsha") == 0);
	}

	/** Redisson in a cluster: one renewal command a lock and tick. */
	@Test
	void thousandHeldLocksAreRenewedByFewCommands() throws InterruptedException {
		List<Lease> leases = new ArrayList<>();
		LockOptions options = LockOptions.defaults().withTtl(Duration.ofSeconds(3));
		for (int i = 0; i < 1000; i++) {
			leases.add(this.instance.registry().acquire("many-" + i, options));
		}
		CommandStats stats = new CommandStats(this.redis);
		await().until(() -> stats.calls("pexpire") >= 1000);
		assertThat(stats.calls("evalsha")).isLessThanOrEqualTo(20);
		assertThat(leases).allMatch(Lease::isValid);
		leases.forEach(Lease::close);
	}

	/** Spring Integration: the registry's cache could evict a held lock. */
	@Test
	void heldLockSurvives100000OtherKeys() {
		LeasedLock held = this.instance.registry().obtain("held");
		assertThat(held.tryLock()).isTrue();
		for (int i = 0; i < 100_000; i++) {
			this.instance.registry().obtain("other-" + i);
		}
		LeasedLock again = this.instance.registry().obtain("held");
		assertThat(again.holdCount()).isOne();
		CompletableFuture<Boolean> elsewhere = CompletableFuture
			.supplyAsync(() -> this.instance.registry().obtain("held").tryLock());
		assertThat(elsewhere).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(false);
		again.unlock();
		assertThat(this.commands.exists("{lock}lock:held")).isZero();
	}

	/** Lock4j: the release of the default branch did not release. */
	@Test
	void releaseReallyReleases() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("released", LockOptions.defaults());
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.commands.exists("{lock}lock:released")).isZero();
		this.instance.registry().call("released", LockOptions.defaults(), (scope) -> null);
		assertThat(this.commands.exists("{lock}lock:released")).isZero();
	}

}
