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

import io.lockstarter.LockOptions;
import io.lockstarter.Permits;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three JVMs with four workers each want three permits, and give each back twice. Holders
 * are stopped beyond the ttl, and killed.
 */
@Tag("proof")
class PermitHolderKilledTest {

	private static final Duration TTL = Duration.ofSeconds(1);

	// A hiccup of a busy machine is not the lock's.
	private static final Duration PATIENCE = TTL.plusSeconds(5);

	@TempDir
	private Path directory;

	private final RedisServer redis = RedisServers.start();

	private final List<JvmProcess> jvms = new ArrayList<>();

	private PermitWitness witness = new PermitWitness(List.of());

	@BeforeEach
	void start() {
		List<Path> files = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Path file = this.directory.resolve("jvm-" + i);
			files.add(file);
			this.jvms.add(JvmProcess.start(PermitApplication.class, this.redis.port(), file, TTL));
		}
		this.jvms.forEach((jvm) -> jvm.await("ready"));
		this.witness = new PermitWitness(files);
	}

	@AfterEach
	void close() {
		this.jvms.forEach(JvmProcess::close);
		this.redis.close();
	}

	@Test
	void neverMoreThanTheLimitAreHeldAndNoPermitIsLost() {
		awaitPermits(50);
		String stopped = catchHolder(this.jvms.get(0));
		long before = System.nanoTime();
		this.jvms.get(0).pause();
		awaitNext(stopped, before);
		this.jvms.get(0).resume();
		awaitPermits(50);
		for (JvmProcess victim : this.jvms.subList(0, 2)) {
			String slot = catchHolder(victim);
			before = System.nanoTime();
			victim.kill();
			awaitNext(slot, before);
			awaitPermits(50);
		}
		this.jvms.get(2).send("end");
		this.jvms.get(2).await("done");
		assertThat(this.jvms.get(2).awaitEnd()).isZero();
		System.out.printf("%,d permits of %d%n", this.witness.count(), PermitApplication.LIMIT);
		assertThat(this.witness.mostAtOnce()).isEqualTo(PermitApplication.LIMIT);
		for (int slot = 0; slot < PermitApplication.LIMIT; slot++) {
			assertThat(this.witness.mostAtOnce("permit:checkout:" + slot)).isOne();
		}
		assertAllAreFree();
	}

	private void awaitPermits(int more) {
		int goal = this.witness.count() + more;
		await().atMost(Duration.ofMinutes(1)).until(() -> this.witness.count() >= goal);
	}

	/**
	 * Let the next to get a permit in a JVM keep it.
	 * @return the slot
	 */
	private static String catchHolder(JvmProcess jvm) {
		jvm.send("keep");
		return jvm.await("keeps");
	}

	/**
	 * Wait until somebody else has a slot, which is free a ttl later at the latest.
	 */
	private void awaitNext(String slot, long before) {
		assertThat(this.redis.commands().pttl("{lock}lock:" + slot)).isLessThanOrEqualTo(TTL.toMillis());
		await().atMost(PATIENCE).until(() -> this.witness.isGrantedAfter(slot, before));
	}

	private void assertAllAreFree() {
		try (Instance instance = new Instance(this.redis.port())) {
			Permits permits = instance.registry()
				.permits(PermitApplication.KEY, PermitApplication.LIMIT, LockOptions.defaults());
			await().atMost(PATIENCE).until(() -> permits.available().join() == PermitApplication.LIMIT);
		}
		assertThat(this.redis.commands().keys("*lock:permit:*")).isEmpty();
	}

}
