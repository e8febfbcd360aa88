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

	private static final String KEY = "catalog";

	private static final Duration TTL = Duration.ofSeconds(3);

	/** Of leases that outlive the fail-over of their server. */
	private static final Duration LONG_TTL = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration NEVER = Duration.ofMinutes(1);

	private final List<Instance> instances = new ArrayList<>();

	@AfterEach
	void closeInstances() {
		this.instances.forEach(Instance::close);
		this.instances.clear();
	}

	@Test
	void writerComesAfterReadersOfOneServerAndReadersAfterItTogether() {
		try (RedisServer redis = RedisServers.start()) {
			IntStream.range(0, 3).forEach((i) -> this.instances.add(new Instance(redis.port(), settings(NEVER))));
			readersThenAWriterThenReaders(TTL, () -> {
			});
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(left(redis)).isEmpty());
		}
	}

	@Test
	@Tag("proof")
	void writerComesAfterReadersOfAClusterAndReadersAfterItTogether() {
		RedisCluster cluster = RedisCluster.shared();
		String seeds = String.join(",", cluster.seeds());
		IntStream.range(0, 3).forEach((i) -> this.instances.add(new Instance(Instance.at(seeds), settings(NEVER))));
		readersThenAWriterThenReaders(TTL, () -> {
		});
		await().atMost(PATIENCE).until(() -> cluster.keys("*" + KEY).isEmpty());
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
				.forEach((i) -> this.instances
					.add(new Instance(group.configuration(), settings(Duration.ofSeconds(1)))));
			readersThenAWriterThenReaders(LONG_TTL, () -> {
				await().atMost(PATIENCE).untilAsserted(() -> {
					assertThat(replica.commands().zrange("{lock}readers:" + KEY, 0, -1)).hasSizeGreaterThan(1)
						.isEqualTo(group.primary().commands().zrange("{lock}readers:" + KEY, 0, -1));
					assertThat(replica.commands().zcard("{lock}queue:" + KEY)).isOne();
				});
				group.primary().kill();
				group.awaitPromotion(replica);
			});
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(left(replica)).isEmpty());
			closeInstances();
		}
	}

	/**
	 * One of three servers is started anew without its memory. The readers hold on by the
	 * other two, and the writer goes on waiting for them.
	 */
	@Test
	@Tag("proof")
	void writerComesAfterReadersOfAQuorumWhoseServerDiedMeanwhile() {
		List<RedisServer> servers = new ArrayList<>();
		try {
			IntStream.range(0, 3).forEach((i) -> servers.add(RedisServers.start()));
			List<Integer> ports = servers.stream().map(RedisServer::port).toList();
			IntStream.range(0, 3).forEach((i) -> this.instances.add(Instance.voting(ports, settings(NEVER), TTL)));
			this.instances.forEach((instance) -> await().atMost(PATIENCE).until(() -> isUsable(instance)));
			readersThenAWriterThenReaders(TTL, () -> {
				// From a renewal on each vote counts, whichever came last.
				servers.forEach(SharedTopologiesTest::awaitRenewal);
				servers.get(0).restartEmpty();
			});
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(servers).allSatisfy((server) -> assertThat(left(server))
					.as("but for places in the queue of the server that granted nothing")
					.doesNotContain("{lock}lock:" + KEY, "{lock}readers:" + KEY)));
		}
		finally {
			closeInstances();
			servers.forEach(RedisServer::close);
		}
	}

	private void readersThenAWriterThenReaders(Duration ttl, Runnable whileTheWriterWaits) {
		LockOptions alone = LockOptions.defaults().withTtl(ttl).withWaitTime(NEVER);
		LockOptions shared = alone.withMode(LockMode.SHARED);
		LockRegistry one = registry(0);
		LockRegistry two = registry(1);
		LockRegistry three = registry(2);
		List<Lease> readers = List.of(one.acquireAsync(KEY, shared).join(), one.acquireAsync(KEY, shared).join(),
				two.acquireAsync(KEY, shared).join());
		CompletableFuture<Lease> writer = three.acquireAsync(KEY, alone);
		await().atMost(PATIENCE).until(() -> this.instances.get(2).registry().waiterCount() == 1);
		whileTheWriterWaits.run();
		// Longer than whoever is let in by mistake would need, and a renewal.
		await().during(ttl.dividedBy(2))
			.atMost(ttl)
			.until(() -> readers.stream().allMatch(Lease::isValid) && !writer.isDone());
		readers.forEach(Lease::close);
		assertThat(writer).succeedsWithin(PATIENCE);
		assertThat(readers)
			.allSatisfy((reader) -> assertThat(writer.join().fencingToken()).isGreaterThan(reader.fencingToken()));
		List<CompletableFuture<Lease>> next = List.of(one.acquireAsync(KEY, shared), two.acquireAsync(KEY, shared));
		await().atMost(PATIENCE)
			.until(() -> this.instances.subList(0, 2)
				.stream()
				.allMatch((instance) -> instance.registry().waiterCount() == 1));
		assertThat(next).noneMatch(CompletableFuture::isDone);
		writer.join().close();
		assertThat(next).allSatisfy((reader) -> {
			assertThat(reader).succeedsWithin(PATIENCE);
			assertThat(reader.join().fencingToken()).isGreaterThan(writer.join().fencingToken());
		});
		assertThat(next).allMatch((reader) -> reader.join().isValid());
		next.forEach((reader) -> reader.join().close());
		assertThat(this.instances).allMatch((instance) -> instance.events().isEmpty());
	}

	private static void awaitRenewal(RedisServer server) {
		await().atMost(PATIENCE).until(() -> readers(server).size() == 2);
		List<ScoredValue<String>> before = readers(server);
		await().atMost(PATIENCE)
			.until(() -> readers(server).stream()
				.allMatch((reader) -> before.stream()
					.anyMatch((same) -> same.getValue().equals(reader.getValue())
							&& same.getScore() < reader.getScore())));
	}

	private static List<ScoredValue<String>> readers(RedisServer server) {
		return server.commands().zrangeWithScores("{lock}readers:" + KEY, 0, -1);
	}

	private static boolean isUsable(Instance instance) throws InterruptedException {
		// Who waits for a server that abstains asks again as rarely as it polls.
		LockOptions once = LockOptions.defaults().withTtl(TTL).withWaitTime(Duration.ZERO);
		try (Lease lease = instance.registry().tryAcquire("warm-up", once).orElse(null)) {
			return lease != null && lease.isValid();
		}
		catch (LockException ex) {
			return false;
		}
	}

	private LockRegistry registry(int number) {
		return this.instances.get(number).registry();
	}

	private static RegistrySettings settings(Duration pollInterval) {
		return Instance.settings(Duration.ofSeconds(5), pollInterval).withTtl(TTL);
	}

	private static List<String> left(RedisServer server) {
		return server.commands().keys("*" + KEY);
	}

}
