// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lettuce.core.KillArgs;
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
 * What else goes wrong in a Redis Cluster.
 */
@Tag("proof")
class ClusterFaultsTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(20))
		.withWaitTime(Duration.ofSeconds(30));

	private static RedisCluster cluster;

	private final Instance one = instance(Duration.ofSeconds(5), Duration.ofSeconds(30));

	private final Instance other = instance(Duration.ofSeconds(5), Duration.ofSeconds(30));

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
	void connectionsToAllNodesAreCutAgainAndAgain() throws InterruptedException {
		try (FencedLoad load = new FencedLoad(List.of(this.one, this.other), 4, this.keys, OPTIONS)) {
			for (int i = 0; i < 10; i++) {
				load.awaitSections(3);
				cluster.killClients((i % 2 == 0) ? KillArgs.Builder.typeNormal() : KillArgs.Builder.typePubsub());
			}
			load.awaitSections(10);
			FencedLoad.Outcome outcome = load.stop();
			assertThat(outcome.fenced()).isZero();
			assertThat(outcome.failures()).isEmpty();
		}
		awaitNothingHeld();
	}

	@Test
	void nodesForgetTheScripts() throws InterruptedException {
		try (FencedLoad load = new FencedLoad(List.of(this.one, this.other), 4, this.keys, OPTIONS)) {
			for (int i = 0; i < 10; i++) {
				load.awaitSections(3);
				cluster.primaries().get(i % 3).commands().scriptFlush();
			}
			load.awaitSections(10);
			FencedLoad.Outcome outcome = load.stop();
			assertThat(outcome.fenced()).isZero();
			assertThat(outcome.failures()).isEmpty();
		}
		awaitNothingHeld();
	}

	@Test
	void clusterWithoutAMajorityIsReportedAndServesAgainWhenItHasOne() throws InterruptedException {
		List<String> each = ClusterKeys.onePerPrimary(cluster, this.one, "each:");
		List<RedisServer> primaries = cluster.primaries();
		try (Instance hasty = instance(Duration.ofMillis(500), Duration.ofSeconds(30))) {
			Lease held = hasty.registry().acquire(each.get(0), OPTIONS.withTtl(Duration.ofSeconds(3)));
			cluster.kill(primaries.get(1));
			cluster.kill(primaries.get(2));
			RedisServer last = primaries.get(0);
			await().atMost(Duration.ofSeconds(30))
				.until(() -> last.commands().clusterInfo().contains("cluster_state:fail"));
			for (String key : each.subList(1, 3)) {
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> hasty.registry().acquire(key, OPTIONS.withWaitTime(Duration.ofSeconds(1))))
					.withMessageContaining(key);
			}
			await().atMost(Duration.ofSeconds(30)).until(() -> !held.isValid());
			await().untilAsserted(() -> assertThat(hasty.events()).contains("lost EXPIRED " + each.get(0)));
			cluster.start(primaries.get(1));
			cluster.start(primaries.get(2));
			cluster.awaitStable();
			for (String key : each) {
				await().atMost(Duration.ofSeconds(30))
					.ignoreExceptionsInstanceOf(LockStoreException.class)
					.until(() -> {
						try (Lease next = hasty.registry().acquire(key, OPTIONS)) {
							assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
							return true;
						}
					});
			}
		}
	}

	@Test
	void userWhoMayNotListenPolls() {
		cluster.nodes().forEach((node) -> Raw.ask(node.port(), "ACL SETUSER default resetchannels"));
		try (Instance deaf = instance(Duration.ofSeconds(5), Duration.ofMillis(100));
				Instance alsoDeaf = instance(Duration.ofSeconds(5), Duration.ofMillis(100))) {
			Lease held = deaf.registry().acquireAsync(KEY, OPTIONS).join();
			CompletableFuture<Lease> waiting = alsoDeaf.registry().acquireAsync(KEY, OPTIONS);
			await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
			held.close();
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(10));
			waiting.join().close();
		}
		finally {
			cluster.nodes().forEach((node) -> Raw.ask(node.port(), "ACL SETUSER default allchannels"));
		}
	}

	private void awaitNothingHeld() {
		await().untilAsserted(() -> assertThat(cluster.keys("*}lock:*")).isEmpty());
	}

	private static Instance instance(Duration commandTimeout, Duration pollInterval) {
		return new Instance(cluster.configuration(), Instance.settings(commandTimeout, pollInterval));
	}

}
