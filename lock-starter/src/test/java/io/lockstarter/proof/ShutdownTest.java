// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A service is told to end (SIGTERM) while it holds a lock.
 */
@Tag("proof")
class ShutdownTest {

	private static final String LOCK = "{lock}lock:stock:42";

	private final RedisServer redis = RedisServers.start();

	private JvmProcess service;

	@AfterEach
	void close() {
		this.service.close();
		this.redis.close();
	}

	@Test
	void holderMayFinishWithinTheGraceTimeAndThenTheLockIsFree() {
		start("10s");
		this.service.terminate();
		await().during(Duration.ofMillis(500)).until(this.service::isAlive);
		assertThat(this.redis.commands().exists(LOCK)).isOne();
		this.service.send("finish");
		assertThat(this.service.await("finished")).isEqualTo("true");
		this.service.awaitEnd();
		assertThat(this.redis.commands().exists(LOCK)).isZero();
	}

	@Test
	void holderThatDoesNotFinishIsLeftToItsTtlAfterTheGraceTime() {
		start("300ms");
		this.service.terminate();
		assertThat(this.service.awaitRest()).contains("abandoned stock:42");
		assertThat(this.redis.commands().pttl(LOCK)).isBetween(1L, 4000L);
		await().until(() -> this.redis.commands().exists(LOCK) == 0);
	}

	/**
	 * Nobody waits for it: with a grace time of ten minutes the test would not end.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "spring", "system" })
	void holderThatEndsItsOwnJvmIsNotWaitedForAndItsLockIsFree(String way) {
		this.service = JvmProcess.start(ExitingApplication.class, way, "--spring.data.redis.port=" + this.redis.port(),
				"--spring.main.banner-mode=off", "--spring.main.log-startup-info=false",
				"--distributed-lock.shutdown-grace=10m");
		assertThat(this.service.awaitRest()).anyMatch((line) -> line.contains("is released at shutdown"))
			.doesNotContain("abandoned stock:42", "not reached");
		assertThat(this.redis.commands().exists(LOCK)).isZero();
	}

	private void start(String grace) {
		this.service = JvmProcess.start(ShutdownApplication.class, "--spring.data.redis.port=" + this.redis.port(),
				"--spring.main.banner-mode=off", "--spring.main.log-startup-info=false",
				"--distributed-lock.shutdown-grace=" + grace);
		this.service.await("holding");
	}

}
