// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lettuce.core.ScoredValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two readers, a writer and readers again, wherever shared locks may be kept. Nobody asks
 * again by himself where nothing fails, so that only a signal wakes up in time.
 */
class SharedTopologiesTest {

	/** Of leases that outlive the fail-over of their server. */
	private static final Duration LONG_TTL = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration NEVER = Duration.ofMinutes(1);

	private final SharedScene scene = new SharedScene();

	@AfterEach
	void closeInstances() {
		this.scene.close();
	}

	@Test
	void writerComesAfterReadersOfOneServerAndReadersAfterItTogether() {
		try (RedisServer redis = RedisServers.start()) {
			IntStream.range(0, 3)
				.forEach((i) -> this.scene.add(new Instance(redis.port(), SharedScene.settings(NEVER))));
			this.scene.readersThenAWriterThenReaders(SharedScene.TTL, () -> {
			});
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(SharedScene.left(redis)).isEmpty());
		}
	}

	@Test
	@Tag("proof")
	void writerComesAfterReadersOfAClusterAndReadersAfterItTogether() {
		RedisCluster cluster = RedisCluster.shared();
		String seeds = String.join(",", cluster.seeds());
		IntStream.range(0, 3)
			.forEach((i) -> this.scene.add(new Instance(Instance.at(seeds), SharedScene.settings(NEVER))));
		this.scene.readersThenAWriterThenReaders(SharedScene.TTL, () -> {
		});
		await().atMost(PATIENCE).until(() -> cluster.keys("*" + SharedScene.KEY).isEmpty());
	}

	/**
	 * Readers that the replica knows hold on, and the writer goes on waiting for them.
	 */
	@Test
	@Tag("proof")
	void writerComesAfterReadersWhosePrimaryWasReplacedMeanwhile() {
		try (SentinelGroup group = new SentinelGroup(Duration.ofSeconds(1), Duration.ofSeconds(5))) {
			RedisServer replica = group.replica();
			IntStream.range(0, 3)
				.forEach((i) -> this.scene
					.add(new Instance(group.configuration(), SharedScene.settings(Duration.ofSeconds(1)))));
			this.scene.readersThenAWriterThenReaders(LONG_TTL, () -> {
				await().atMost(PATIENCE).untilAsserted(() -> {
					assertThat(replica.commands().zrange("{lock}readers:" + SharedScene.KEY, 0, -1))
						.hasSizeGreaterThan(1)
						.isEqualTo(group.primary().commands().zrange("{lock}readers:" + SharedScene.KEY, 0, -1));
					assertThat(replica.commands().zcard("{lock}queue:" + SharedScene.KEY)).isOne();
				});
				group.primary().kill();
				group.awaitPromotion(replica);
			});
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(SharedScene.left(replica)).isEmpty());
			closeInstances();
		}
	}

}