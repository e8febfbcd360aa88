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

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	// Longer than any of this, so that only a signal wakes up in time.
	private static final Duration POLL_INTERVAL = Duration.ofMinutes(1);

	private final List<Instance> instances = new ArrayList<>();

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
	}

	@Test
	void thirdInstanceWaitsForAPermitOfOneServer() {
		try (RedisServer redis = RedisServers.start()) {
			IntStream.range(0, 3).forEach((i) -> this.instances.add(new Instance(redis.port(), settings())));
			thirdWaitsUntilAPermitIsGivenBack();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(locks(redis)).isEmpty());
		}
	}

	@Test
	@Tag("proof")
	void thirdInstanceWaitsForAPermitOfACluster() {
		RedisCluster cluster = RedisCluster.shared();
		String seeds = String.join(",", cluster.seeds());
		IntStream.range(0, 3).forEach((i) -> this.instances.add(new Instance(Instance.at(seeds), settings())));
		thirdWaitsUntilAPermitIsGivenBack();
		await().atMost(PATIENCE).until(() -> cluster.keys("*lock:permit:*").isEmpty());
	}

	/**
	 * Where permits are counted, each of three servers may have two others, so that three
	 * have a majority.
	 */
	@Test
	@Tag("proof")
	void thirdInstanceWaitsForAPermitOfAQuorum() {
		List<RedisServer> servers = new ArrayList<>();
		try {
			IntStream.range(0, 3).forEach((i) -> servers.add(RedisServers.start()));
			List<Integer> ports = servers.stream().map(RedisServer::port).toList();
			IntStream.range(0, 3).forEach((i) -> this.instances.add(Instance.voting(ports, settings(), TTL)));
			this.instances.forEach((instance) -> await().atMost(PATIENCE).until(() -> isUsable(instance)));
			thirdWaitsUntilAPermitIsGivenBack();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(servers).allSatisfy((server) -> assertThat(locks(server)).isEmpty()));
		}
		finally {
			this.instances.forEach(Instance::close);
			this.instances.clear();
			servers.forEach(RedisServer::close);
		}
	}

	private void thirdWaitsUntilAPermitIsGivenBack() {
		List<Permits> permits = this.instances.stream().map((instance) -> permits(instance, PATIENCE)).toList();
		List<Lease> held = permits.subList(0, 2).stream().map((each) -> each.acquireAsync().join()).toList();
		assertThat(held).allMatch(Lease::isValid).extracting(Lease::key).doesNotHaveDuplicates();
		CompletableFuture<Lease> third = permits.get(2).acquireAsync();
		await().atMost(PATIENCE).until(() -> this.instances.get(2).registry().waiterCount() == 1);
		assertThat(this.instances).allSatisfy((instance) -> {
			assertThat(permits(instance, Duration.ZERO).acquireAsync()).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(permits.get(0).available()).succeedsWithin(PATIENCE).isEqualTo(0);
		});
		assertThat(third).isNotDone();
		held.get(0).close();
		assertThat(third).succeedsWithin(PATIENCE);
		assertThat(third.join().key()).isEqualTo(held.get(0).key());
		assertThat(third.join().fencingToken()).isGreaterThan(held.get(0).fencingToken());
		assertThat(held.get(1).isValid()).isTrue();
		held.get(1).close();
		third.join().close();
		await().atMost(PATIENCE).until(() -> permits.get(0).available().join() == 2);
	}

	private static Permits permits(Instance instance, Duration wait) {
		return instance.registry().permits("checkout", 2, LockOptions.defaults().withTtl(TTL).withWaitTime(wait));
	}

	private static RegistrySettings settings() {
		return Instance.settings(Duration.ofSeconds(5), POLL_INTERVAL).withTtl(TTL);
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

	private static List<String> locks(RedisServer server) {
		return server.commands().keys("*lock:permit:*");
	}

}
