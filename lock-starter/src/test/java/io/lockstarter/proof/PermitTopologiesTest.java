// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.Permits;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two permits and three instances, wherever locks may be kept: the third waits, and gets
 * what is given back.
 */
class PermitTopologiesTest {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final PermitScene scene = new PermitScene();

	@AfterEach
	void close() {
		this.scene.close();
	}

	@Test
	void thirdInstanceWaitsForAPermitOfOneServer() {
		try (RedisServer redis = RedisServers.start()) {
			IntStream.range(0, 3).forEach((i) -> this.scene.add(new Instance(redis.port(), PermitScene.settings())));
			this.scene.thirdWaitsUntilAPermitIsGivenBack();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(PermitScene.locks(redis)).isEmpty());
		}
	}

	@Test
	@Tag("proof")
	void thirdInstanceWaitsForAPermitOfACluster() {
		RedisCluster cluster = RedisCluster.shared();
		String seeds = String.join(",", cluster.seeds());
		IntStream.range(0, 3).forEach((i) -> this.scene.add(new Instance(Instance.at(seeds), PermitScene.settings())));
		this.scene.thirdWaitsUntilAPermitIsGivenBack();
		await().atMost(PATIENCE).until(() -> cluster.keys("*lock:permit:*").isEmpty());
	}

}