// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisCluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many wait in a Redis Cluster, one is released: who wakes up.
 */
@Tag("proof")
class ClusterWakeUpTest {

	private static final int WAITERS = 5;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private static RedisCluster cluster;

	private final List<Instance> instances = new ArrayList<>();

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
	}

	@Test
	void releaseWakesOneInstanceWhichFindsTheLockItsOwn() throws InterruptedException {
		Stream.generate(ClusterWakeUpTest::instance).limit(WAITERS + 1).forEach(this.instances::add);
		for (String key : ClusterKeys.onePerPrimary(cluster, this.instances.get(0), "wanted:")) {
			Lease lease = this.instances.get(0).registry().acquire(key, PATIENT);
			List<CompletableFuture<Lease>> waiting = new ArrayList<>();
			for (Instance instance : this.instances.subList(1, WAITERS + 1)) {
				waiting.add(instance.registry().acquireAsync(key, PATIENT));
				awaitInQueue(key, instance.id());
			}
			List<CommandStats> stats = cluster.primaries().stream().map(CommandStats::new).toList();
			for (int i = 0; i < WAITERS; i++) {
				stats.forEach(CommandStats::restart);
				lease.close();
				lease = waiting.get(i).join();
				assertThat(calls(stats, "publish") + calls(stats, "spublish")).as("wake-ups").isEqualTo(1);
				// A lease that the release granted is renewed behind the back of its
				// holder. The first holder never waited, and so is not told that others
				// wait: it sends its release once more, with all keys.
				long expected = (i == 0) ? 3 : 2;
				await().until(() -> calls(stats, "evalsha") >= expected);
				assertThat(calls(stats, "evalsha")).as("a release and one renewal").isEqualTo(expected);
				assertThat(waiting.subList(i + 1, WAITERS)).as("who came later").noneMatch(CompletableFuture::isDone);
			}
			lease.close();
		}
	}

	@Test
	void instanceThatWasKilledIsSkipped() throws InterruptedException {
		this.instances.add(instance());
		this.instances.add(instance());
		Instance holder = this.instances.get(0);
		try (JvmProcess victim = JvmProcess.start(LockingApplication.class, String.join(",", cluster.seeds()))) {
			String victimId = victim.await("ready");
			Lease lease = holder.registry().acquire("wanted", PATIENT);
			victim.send("acquire wanted PT30S PT1M");
			awaitInQueue("wanted", victimId);
			CompletableFuture<Lease> next = this.instances.get(1).registry().acquireAsync("wanted", PATIENT);
			awaitInQueue("wanted", this.instances.get(1).id());
			victim.kill();
			await().until(() -> ClusterKeys.subscribers(cluster, victimId) == 0);
			assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
			assertThat(next).succeedsWithin(Duration.ofSeconds(20));
			next.join().close();
		}
	}

	private static long calls(List<CommandStats> stats, String command) {
		return stats.stream().mapToLong((node) -> node.calls(command)).sum();
	}

	private static void awaitInQueue(String key, String instance) {
		await().until(() -> cluster.primaries()
			.stream()
			.flatMap((node) -> node.keys("*}queue:" + key)
				.stream()
				.map((queue) -> node.commands().zscore(queue, instance)))
			.anyMatch((score) -> score != null) && ClusterKeys.subscribers(cluster, instance) > 0);
	}

	private static Instance instance() {
		return new Instance(cluster.configuration(), Instance.settings(Duration.ofSeconds(10), Duration.ofSeconds(30)));
	}

}
