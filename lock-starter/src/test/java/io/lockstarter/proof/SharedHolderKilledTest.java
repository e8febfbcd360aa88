// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.proof.SharedWitness.How;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Four JVMs with four workers each read and write under one key. Holders are stopped
 * beyond the ttl, and killed.
 */
@Tag("proof")
class SharedHolderKilledTest {

	private static final Duration TTL = Duration.ofSeconds(1);

	// A hiccup of a busy machine is not the lock's.
	private static final Duration PATIENCE = TTL.plusSeconds(5);

	@TempDir
	private Path directory;

	private final RedisServer redis = RedisServers.start();

	private final List<JvmProcess> jvms = new ArrayList<>();

	private SharedWitness witness = new SharedWitness(List.of());

	@BeforeEach
	void start() {
		List<Path> files = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			Path file = this.directory.resolve("jvm-" + i);
			files.add(file);
			this.jvms.add(JvmProcess.start(SharedApplication.class, this.redis.port(), file, TTL));
		}
		this.jvms.forEach((jvm) -> jvm.await("ready"));
		this.witness = new SharedWitness(files);
	}

	@AfterEach
	void close() {
		this.jvms.forEach(JvmProcess::close);
		this.redis.close();
	}

	@Test
	void writersAreAloneReadersAreNotAndNobodyWaitsForEver() {
		awaitHolds(200);
		for (How how : How.values()) {
			JvmProcess stopped = this.jvms.get(0);
			catchHolder(stopped, how);
			long before = System.nanoTime();
			stopped.pause();
			awaitWriter(before);
			stopped.resume();
			awaitHolds(100);
		}
		killHolder(this.jvms.get(0), How.READS);
		killHolder(this.jvms.get(1), How.WRITES);
		List<JvmProcess> survivors = this.jvms.subList(2, 4);
		survivors.forEach((jvm) -> jvm.send("end"));
		survivors.forEach((jvm) -> jvm.await("done"));
		assertThat(survivors).allSatisfy((jvm) -> assertThat(jvm.awaitEnd()).isZero());
		System.out.printf("%,d holds, %,d of readers beside another JVM%n", this.witness.count(),
				this.witness.readsBesideAnotherJvm());
		assertThat(this.witness.breaches()).isEmpty();
		assertThat(this.witness.readsBesideAnotherJvm()).isGreaterThan(this.witness.count() / 20);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.redis.commands().keys("*" + SharedApplication.KEY)).isEmpty());
	}

	private void awaitHolds(int more) {
		int goal = this.witness.count() + more;
		await().atMost(Duration.ofMinutes(1)).until(() -> this.witness.count() >= goal);
	}

	private void killHolder(JvmProcess victim, How how) {
		catchHolder(victim, how);
		long before = System.nanoTime();
		victim.kill();
		awaitWriter(before);
		awaitHolds(100);
	}

	/**
	 * Let the next to hold the lock in some way in a JVM keep it.
	 */
	private static void catchHolder(JvmProcess jvm, How how) {
		jvm.send("keep " + how);
		jvm.await("keeps");
	}

	/**
	 * Wait until somebody writes, which is a ttl later at the latest.
	 */
	private void awaitWriter(long before) {
		// The millisecond that has begun counts in full.
		assertThat(this.redis.commands().pttl("{lock}lock:" + SharedApplication.KEY))
			.isLessThanOrEqualTo(TTL.toMillis() + 1);
		await().atMost(PATIENCE).until(() -> this.witness.isHeldAfter(How.WRITES, before));
	}

}
