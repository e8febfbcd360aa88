// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lettuce.core.ScoredValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are shared, and permits, of three servers. Nobody asks again by himself, so
 * that only a signal wakes up in time.
 */
@Tag("proof")
class QuorumScenesTest {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration NEVER = Duration.ofMinutes(1);

	private final List<RedisServer> servers = new ArrayList<>();

	@AfterEach
	void stop() {
		this.servers.forEach(RedisServer::close);
	}

	/**
	 * One of three servers is started anew without its memory. The readers hold on by the
	 * other two, and the writer goes on waiting for them.
	 */
	@Test
	void writerComesAfterReadersWhoseServerDiedMeanwhile() {
		try (SharedScene scene = new SharedScene()) {
			start(SharedScene.settings(NEVER), SharedScene.TTL, scene::add);
			// Readers need a majority. A server that hears of the writer takes no more.
			scene.readersThenAWriterThenReaders(SharedScene.TTL,
					() -> this.servers.forEach(QuorumScenesTest::awaitReaders), () -> {
						// From a renewal on each vote counts, whichever came last.
						this.servers.forEach(QuorumScenesTest::awaitRenewal);
						this.servers.get(0).restartEmpty();
					});
			await().atMost(PATIENCE)
				.untilAsserted(
						() -> assertThat(this.servers).allSatisfy((server) -> assertThat(SharedScene.left(server))
							.as("but for places in the queue of the server that granted nothing")
							.doesNotContain("{lock}lock:" + SharedScene.KEY, "{lock}readers:" + SharedScene.KEY)));
		}
	}

	/**
	 * Where permits are counted, each of three servers may have two others, so that three
	 * have a majority.
	 */
	@Test
	void thirdInstanceWaitsForAPermit() {
		try (PermitScene scene = new PermitScene()) {
			start(PermitScene.settings(), PermitScene.TTL, scene::add);
			scene.thirdWaitsUntilAPermitIsGivenBack();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.servers)
					.allSatisfy((server) -> assertThat(PermitScene.locks(server)).isEmpty()));
		}
	}

	private void start(RegistrySettings settings, Duration maxTtl, Consumer<Instance> scene) {
		IntStream.range(0, 3).forEach((i) -> this.servers.add(RedisServers.start()));
		List<Integer> ports = this.servers.stream().map(RedisServer::port).toList();
		List<Instance> instances = IntStream.range(0, 3)
			.mapToObj((i) -> VotingInstance.start(ports, settings, maxTtl))
			.toList();
		instances.forEach(scene);
		instances
			.forEach((instance) -> await().atMost(PATIENCE).until(() -> VotingInstance.isUsable(instance, maxTtl)));
	}

	private static void awaitReaders(RedisServer server) {
		await().atMost(PATIENCE).until(() -> readers(server).size() == 2);
	}

	private static void awaitRenewal(RedisServer server) {
		List<ScoredValue<String>> before = readers(server);
		await().atMost(PATIENCE)
			.until(() -> readers(server).stream()
				.allMatch((reader) -> before.stream()
					.anyMatch((same) -> same.getValue().equals(reader.getValue())
							&& same.getScore() < reader.getScore())));
	}

	private static List<ScoredValue<String>> readers(RedisServer server) {
		return server.commands().zrangeWithScores("{lock}readers:" + SharedScene.KEY, 0, -1);
	}

}
