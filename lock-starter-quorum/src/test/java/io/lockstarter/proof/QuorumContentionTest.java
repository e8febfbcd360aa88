// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Three applications whose locks are in a quorum of three servers: they always collide,
 * or have no majority. For longer with {@code -Dproof.seconds=60}, and with as many
 * threads as you like with {@code -Dproof.threads=1}.
 */
@Tag("proof")
class QuorumContentionTest {

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final int INSTANCES = 3;

	private static final int THREADS = Integer.getInteger("proof.threads", 3);

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<Instance> instances = new ArrayList<>();

	@BeforeEach
	void start() {
		IntStream.range(0, 3).forEach((i) -> this.servers.add(RedisServers.start()));
		List<Integer> ports = this.servers.stream().map(RedisServer::port).toList();
		for (int i = 0; i < INSTANCES; i++) {
			Instance instance = VotingInstance.start(ports, Instance.settings(COMMAND_TIMEOUT, Duration.ofSeconds(5)),
					TTL);
			this.instances.add(instance);
		}
		// All wait at once until the servers, which are new, grant locks.
		this.instances.forEach((instance) -> await().atMost(PATIENCE).until(() -> isUsable(instance)));
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

	private static LockOptions options() {
		return LockOptions.defaults().withTtl(TTL).withWaitTime(Duration.ofSeconds(30));
	}

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
		this.servers.forEach(RedisServer::close);
	}

	@Test
	void contendersThatAlwaysCollideAllGetTheLock() throws InterruptedException {
		Duration length = Duration.ofSeconds(Long.getLong("proof.seconds", 5));
		try (FencedLoad load = new FencedLoad(this.instances, THREADS, List.of("hot"), options())) {
			TortureGround.pass(length);
			FencedLoad.Outcome outcome = load.stop();
			List<List<Duration>> waits = load.waits();
			System.out.printf("%,d sections/s, waits %s, sections of a thread %s%n",
					outcome.sections() / length.toSeconds(), new Figures(waits.stream().flatMap(List::stream).toList()),
					waits.stream().map(List::size).sorted().toList());
			assertThat(outcome.failures()).isEmpty();
			assertThat(waits).hasSize(INSTANCES * THREADS).allSatisfy((own) -> assertThat(own).hasSizeGreaterThan(20));
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void withoutAMajorityAcquisitionsFailInTimeAndLeaveNothing(boolean frozen) {
		List<RedisServer> failing = this.servers.subList(0, 2);
		failing.forEach(frozen ? RedisServer::pause : RedisServer::kill);
		for (int i = 0; i < 3; i++) {
			String key = "alone-" + i;
			long begin = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.instances.get(0).registry().acquire(key, options().withWaitTime(Duration.ZERO)));
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(COMMAND_TIMEOUT.plusSeconds(5));
		}
		await().atMost(TTL.dividedBy(2)).until(() -> locks(this.servers.get(2)).isEmpty());
		failing.forEach(frozen ? RedisServer::resume : RedisServer::start);
		// What servers that hung execute in another order lasts for a ttl.
		await().atMost(TTL.plusSeconds(1))
			.until(() -> this.servers.stream().allMatch((server) -> locks(server).isEmpty()));
		this.instances.forEach((instance) -> await().atMost(PATIENCE).until(() -> isUsable(instance)));
	}

	private static List<String> locks(RedisServer server) {
		return server.keys("{lock}lock:alone-*");
	}

}
