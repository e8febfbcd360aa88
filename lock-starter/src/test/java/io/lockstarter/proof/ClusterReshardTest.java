// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Slots of a Redis Cluster move to another primary while their locks are in use.
 */
@Tag("proof")
class ClusterReshardTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(20))
		.withWaitTime(Duration.ofSeconds(30));

	private static RedisCluster cluster;

	private final Instance one = instance(Duration.ofSeconds(5));

	private final Instance other = instance(Duration.ofSeconds(5));

	private final List<String> keys = new ArrayList<>(List.of(KEY));

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
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
	void slotThatMovesBackAndForthUnderLoadFailsNobody() throws InterruptedException {
		int slot = ClusterKeys.slotOf(cluster, this.one, KEY);
		try (FencedLoad load = load()) {
			for (int i = 0; i < 20; i++) {
				load.awaitSections(5);
				cluster.migrate(slot, cluster.otherThan(slot));
			}
			load.awaitSections(20);
			assertUndisturbed(load.stop());
		}
		awaitNothingHeld();
	}

	@Test
	void allSlotsWithLocksMoveUnderLoad() throws InterruptedException {
		Set<Integer> slots = new TreeSet<>();
		for (String key : this.keys) {
			slots.add(ClusterKeys.slotOf(cluster, this.one, key));
		}
		try (FencedLoad load = load()) {
			load.awaitSections(5);
			slots.forEach((slot) -> cluster.migrate(slot, cluster.otherThan(slot)));
			load.awaitSections(20);
			assertUndisturbed(load.stop());
		}
		awaitNothingHeld();
	}

	private void assertUndisturbed(FencedLoad.Outcome outcome) {
		assertThat(outcome.failures()).isEmpty();
		assertThat(outcome.fenced()).isZero();
		assertThat(this.one.events()).noneMatch(ClusterKeys::isLoss);
		assertThat(this.other.events()).noneMatch(ClusterKeys::isLoss);
	}

	@Test
	void slotThatStaysHalfMovedIsReportedAndTheLocksInItAreNotLost() throws InterruptedException {
		int slot = ClusterKeys.slotOf(cluster, this.one, KEY);
		Lease held = this.one.registry().acquire(KEY, OPTIONS);
		try (Instance hasty = instance(Duration.ofMillis(500))) {
			assertThat(hasty.registry().tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ZERO))).isEmpty();
			RedisServer source = cluster.primaryOf(slot);
			RedisCluster.Migration migration = cluster.beginToMigrate(slot, cluster.otherThan(slot));
			migration.moveKey(ClusterKeys.nameOfHeld(cluster, KEY).orElseThrow());
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> hasty.registry().tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ZERO)))
				.withMessageContaining(KEY);
			String elsewhere = ClusterKeys.onePerPrimary(cluster, hasty, "elsewhere:")
				.stream()
				.filter((key) -> ClusterKeys.primaryOf(cluster, hasty, key) != source)
				.findFirst()
				.orElseThrow();
			hasty.registry().acquire(elsewhere, OPTIONS).close();
			assertThat(held.isValid()).isTrue();
			migration.moveKeys();
			migration.finish();
			assertThat(held.extendAsync(OPTIONS.ttl())).succeedsWithin(Duration.ofSeconds(10));
			assertThat(this.other.registry().tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(held.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		}
		assertThat(this.one.events()).isEmpty();
		this.other.registry().acquire(KEY, OPTIONS).close();
		awaitNothingHeld();
	}

	@Test
	void waiterIsWokenAtTheNodeToWhichItsSlotHasMoved() throws InterruptedException {
		int slot = ClusterKeys.slotOf(cluster, this.one, KEY);
		Lease held = this.one.registry().acquire(KEY, OPTIONS);
		var waiting = this.other.registry().acquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofMinutes(1)));
		await().until(() -> !cluster.keys("*}queue:" + KEY).isEmpty());
		cluster.migrate(slot, cluster.otherThan(slot));
		// It polls only every 30 s, and so is woken, or was at the head of the queue.
		await().untilAsserted(() -> assertThat(ClusterKeys.subscribers(cluster, this.other.id())).isPositive());
		held.close();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(20));
		waiting.join().close();
	}

	private FencedLoad load() {
		return new FencedLoad(List.of(this.one, this.other), 4, this.keys, OPTIONS);
	}

	private void awaitNothingHeld() {
		await().untilAsserted(() -> assertThat(cluster.keys("*}lock:*")).isEmpty());
	}

	private static Instance instance(Duration commandTimeout) {
		return new Instance(cluster.configuration(), Instance.settings(commandTimeout, Duration.ofSeconds(30)));
	}

}
