/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisCluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One JVM holds very many locks at once, spread over a Redis Cluster.
 */
@Tag("proof")
class ClusterLeasesTest {

	private static final int LEASES = Integer.getInteger("proof.leases", 10_000);

	private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(Duration.ofSeconds(6));

	@Test
	void allAreRenewedByFewCommandsAndNoneIsLost() {
		try (RedisCluster cluster = RedisCluster.start();
				Instance instance = new Instance(cluster.configuration(),
						Instance.settings(Duration.ofSeconds(10), Duration.ofSeconds(30)))) {
			List<Lease> leases = acquire(instance);
			List<CommandStats> stats = cluster.primaries().stream().map(CommandStats::new).toList();
			await().atMost(OPTIONS.ttl().multipliedBy(3)).until(() -> calls(stats, "pexpire") >= 2L * LEASES);
			long calls = calls(stats, "evalsha");
			System.out.printf("%,d leases in a cluster: renewed twice by %d commands%n", LEASES, calls);
			assertThat(leases).allMatch(Lease::isValid);
			// a number of slots, and no more than 1,000 keys in each command
			assertThat(calls).isLessThan(LEASES / 10);
			assertThat(instance.events()).isEmpty();
			leases.forEach(ClusterLeasesTest::release);
			await().until(() -> cluster.keys("*}lock:many-*").isEmpty());
		}
	}

	private static long calls(List<CommandStats> stats, String command) {
		return stats.stream().mapToLong((node) -> node.calls(command)).sum();
	}

	private static List<Lease> acquire(Instance instance) {
		Semaphore inFlight = new Semaphore(2000);
		List<CompletableFuture<Lease>> acquiring = IntStream.range(0, LEASES).mapToObj((i) -> {
			inFlight.acquireUninterruptibly();
			return instance.registry()
				.acquireAsync("many-" + i, OPTIONS)
				.whenComplete((lease, failure) -> inFlight.release());
		}).toList();
		return acquiring.stream().map(CompletableFuture::join).toList();
	}

	private static void release(Lease lease) {
		var unused = lease.releaseAsync();
	}

}
