// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A primary of a Redis Cluster is killed, stopped or told to step down, and its replica
 * takes over.
 */
@Tag("proof")
class ClusterFailOverTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(10))
		.withWaitTime(Duration.ofSeconds(30));

	/** As long as the load may take to notice: its ttl. */
	private static final LockOptions SHORT = OPTIONS.withTtl(Duration.ofSeconds(2));

	private static RedisCluster cluster;

	private final Instance one = instance();

	private final Instance other = instance();

	private final List<String> keys = new ArrayList<>(List.of(KEY));

	@BeforeAll
	static void start() {
		cluster = RedisCluster.startWithFastFailOver();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@BeforeEach
	void connect() throws InterruptedException {
		IntStream.range(0, 20).forEach((i) -> this.keys.add("spread:" + i));
		for (String key : this.keys) {
			this.one.registry().acquire(key, OPTIONS).close();
			this.other.registry().acquire(key, OPTIONS).close();
		}
	}

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
	}

	@Test
	void locksGoOnWhenAPrimaryIsKilledAndNoUpdateIsLost() throws InterruptedException {
		RedisServer primary = primaryOf(KEY);
		RedisServer replica = cluster.replicaOf(primary);
		try (FencedLoad load = load()) {
			load.awaitSections(20);
			long killed = System.nanoTime();
			cluster.kill(primary);
			cluster.awaitPromotion(replica);
			load.forgotten("promotion", killed, System.nanoTime());
			load.awaitSections(20);
			cluster.start(primary);
			cluster.awaitStable();
			load.awaitSections(20);
			FencedLoad.Outcome outcome = load.stop();
			assertThat(outcome.fenced()).isZero();
		}
		awaitNothingHeld();
	}

	@Test
	void locksGoOnWhenAReplicaIsToldToTakeOverAndNothingIsLost() throws InterruptedException {
		try (FencedLoad load = load()) {
			for (int i = 0; i < 3; i++) {
				load.awaitSections(20);
				cluster.failOver(cluster.replicaOf(primaryOf(KEY)));
			}
			load.awaitSections(20);
			FencedLoad.Outcome outcome = load.stop();
			assertThat(outcome.fenced()).isZero();
			assertThat(outcome.failures()).isEmpty();
		}
		awaitNothingHeld();
		assertThat(this.one.events()).noneMatch(ClusterKeys::isLoss);
		assertThat(this.other.events()).noneMatch(ClusterKeys::isLoss);
	}

	/**
	 * It executes what it was sent while it stood still, before it learns that it is no
	 * primary any more.
	 */
	@Test
	void primaryThatStoodStillHandsOutSmallerTokensThanTheOneThatTookOver() throws InterruptedException {
		RedisServer primary = primaryOf(KEY);
		RedisServer replica = cluster.replicaOf(primary);
		try (FencedLoad load = load()) {
			load.awaitSections(20);
			long stopped = System.nanoTime();
			cluster.pause(primary);
			cluster.awaitPromotion(replica);
			load.awaitSections(20);
			cluster.resume(primary);
			await().until(() -> primary.commands().info("replication").contains("role:slave"));
			load.forgotten("promotion", stopped, System.nanoTime());
			load.awaitSections(20);
			load.stop();
		}
		cluster.awaitStable();
		awaitNothingHeld();
	}

	@Test
	void leaseThatTheReplicaKnowsGoesOn() throws InterruptedException {
		Lease lease = this.one.registry().acquire(KEY, OPTIONS);
		RedisServer primary = primaryOf(KEY);
		RedisServer replica = cluster.replicaOf(primary);
		awaitReplicated(primary, replica);
		cluster.kill(primary);
		cluster.awaitPromotion(replica);
		await().during(OPTIONS.ttl().dividedBy(2)).atMost(Duration.ofSeconds(30)).until(lease::isValid);
		assertThat(this.other.registry().tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ZERO))).isEmpty();
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		assertThat(this.one.events()).isEmpty();
		try (Lease next = this.other.registry().acquire(KEY, OPTIONS)) {
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		}
		cluster.start(primary);
		cluster.awaitStable();
	}

	@Test
	void leaseThatTheReplicaNeverHeardOfIsReportedLostAndFenced() throws InterruptedException {
		RedisServer primary = primaryOf(KEY);
		RedisServer replica = cluster.replicaOf(primary);
		awaitReplicated(primary, replica);
		replica.pause();
		Raw.ask(primary.port(), "CLIENT KILL TYPE replica");
		Lease lease = this.one.registry().acquire(KEY, OPTIONS);
		cluster.kill(primary);
		replica.resume();
		cluster.awaitPromotion(replica);
		Lease next = await().atMost(Duration.ofSeconds(20))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> this.other.registry().acquire(KEY, OPTIONS), (acquired) -> true);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		await().atMost(OPTIONS.ttl()).until(() -> !lease.isValid());
		await().untilAsserted(() -> assertThat(this.one.events()).containsExactly("lost TAKEN " + KEY));
		assertThat(next.isValid()).isTrue();
		next.close();
		assertThat(this.other.events()).isEmpty();
		cluster.start(primary);
		cluster.awaitStable();
	}

	/**
	 * The first instance sends nothing while the replica is the primary, and its
	 * connections stay.
	 */
	@Test
	void tokensGrowAtAPrimaryThatWasReplacedAndReturnsWithoutWhatItMissed() {
		RedisServer primary = primaryOf(KEY);
		AtomicLong last = new AtomicLong();
		cluster.takeOverThereAndBack(primary, () -> {
			long begin = System.nanoTime();
			while (System.nanoTime() - begin < 100_000_000) {
				last.set(tokenOf(this.other));
			}
		});
		assertThat(tokenOf(this.one)).isGreaterThan(last.get());
		assertThat(primaryOf(KEY)).isSameAs(primary);
	}

	@Test
	void waiterIsWokenAtTheReplicaThatTookOver() throws InterruptedException {
		Duration never = Duration.ofMinutes(1);
		try (Instance waiting = new Instance(cluster.configuration(),
				Instance.settings(Duration.ofSeconds(5), never))) {
			for (int i = 0; i < 3; i++) {
				Lease held = this.one.registry().acquire(KEY, OPTIONS);
				CompletableFuture<Lease> next = waiting.registry().acquireAsync(KEY, OPTIONS.withWaitTime(never));
				await().until(() -> !cluster.keys("*}queue:" + KEY).isEmpty());
				cluster.failOver(cluster.replicaOf(primaryOf(KEY)));
				long released = System.nanoTime();
				held.close();
				assertThat(next).succeedsWithin(Duration.ofSeconds(20));
				System.out.printf("Woken at the new primary after %d ms%n", (System.nanoTime() - released) / 1_000_000);
				next.join().close();
			}
		}
	}

	private FencedLoad load() {
		return new FencedLoad(List.of(this.one, this.other), 4, this.keys, SHORT);
	}

	private static long tokenOf(Instance instance) {
		try (Lease lease = instance.registry().acquire(KEY, OPTIONS)) {
			return lease.fencingToken();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private RedisServer primaryOf(String key) {
		return ClusterKeys.primaryOf(cluster, this.one, key);
	}

	private static void awaitReplicated(RedisServer primary, RedisServer replica) {
		await().until(() -> ClusterKeys.offset(primary, "master_repl_offset") == ClusterKeys.offset(replica,
				"slave_repl_offset"));
	}

	private void awaitNothingHeld() {
		await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(cluster.keys("*}lock:*")).isEmpty());
	}

	private static Instance instance() {
		return new Instance(cluster.configuration(), Instance.settings(Duration.ofSeconds(2), Duration.ofSeconds(2)));
	}

}
