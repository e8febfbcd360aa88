// SPDX-License-Identifier: Apache-2.0
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
