// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.contender.Target;
import io.lockstarter.benchmark.contender.Topology;
import io.lockstarter.benchmark.scenario.Scenario;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Smoke test: every contender excludes, but for the two-PING limit, and ShedLock, whose
 * start alone is measured; in a cluster those that take part there, and in a quorum.
 * Nobody acknowledges at a single server.
 */
class ContenderTest {

	private static final int THREADS = 3;

	private static final int SECTIONS = 3;

	private static RedisServers single;

	private static RedisServers cluster;

	private static RedisServers quorum;

	private int counter;

	private long lastToken;

	@BeforeAll
	static void startRedis(@TempDir Path directory) throws InterruptedException {
		single = RedisServers.single(directory);
		cluster = RedisServers.cluster(directory);
		quorum = RedisServers.quorum(directory);
	}

	@AfterAll
	static void stopRedis() {
		single.close();
		cluster.close();
		quorum.close();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE,
			names = { "TWO_PINGS", "STARTER_ACKNOWLEDGED", "REDISSON_RED", "SHEDLOCK", "FLOOR" })
	void excludes(Contender contender) throws Exception {
		excludes(contender, single, Topology.SINGLE);
	}

	@ParameterizedTest
	@MethodSource
	void excludesInCluster(Contender contender) throws Exception {
		Topology topology = Scenario.SPREAD_CLUSTER.topology(contender);
		excludes(contender, (topology == Topology.SINGLE) ? single : cluster, topology);
	}

	@ParameterizedTest
	@EnumSource(names = { "STARTER", "REDISSON_RED" })
	void excludesInQuorum(Contender contender) throws Exception {
		excludes(contender, quorum, Topology.QUORUM);
	}

	static Set<Contender> excludesInCluster() {
		return Scenario.SPREAD_CLUSTER.contenders();
	}

	private void excludes(Contender contender, RedisServers redis, Topology topology) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try (LockAdapter adapter = contender.connect(new Target(topology, redis.ports(), Duration.ofSeconds(30)))) {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				all.add(threads.submit(() -> run(adapter, contender)));
			}
			for (Future<?> one : all) {
				one.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.counter).isEqualTo(THREADS * SECTIONS);
	}

	private Void run(LockAdapter adapter, Contender contender) throws InterruptedException {
		for (int i = 0; i < SECTIONS; i++) {
			Held held = adapter.lock("smoke-" + contender.id());
			int before = this.counter;
			if (contender.isOurs()) {
				assertThat(held.fencingToken()).isGreaterThan(this.lastToken);
				this.lastToken = held.fencingToken();
			}
			Thread.sleep(1);
			this.counter = before + 1;
			held.unlock();
		}
		return null;
	}

}
