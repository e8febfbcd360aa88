// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The leader election of Spring Integration on our locks, in several JVMs.
 */
@Tag("proof")
class LeaderKilledTest {

	private static final Duration TTL = Duration.ofSeconds(2);

	@Test
	void anotherLeadsWhenTheLeaderIsKilled() {
		try (RedisServer redis = RedisServers.start(); JvmProcess first = candidate(redis)) {
			first.await("granted");
			try (JvmProcess second = candidate(redis)) {
				second.await("follower");
				first.kill();
				second.await("granted");
				second.send("end");
				second.await("revoked");
				assertThat(second.awaitEnd()).isZero();
			}
		}
	}

	@Test
	void aLeaderWhoseLockWasTakenIsToldAndAnotherLeads() {
		try (RedisServer redis = RedisServers.start();
				JvmProcess first = candidate(redis);
				Instance operator = new Instance(redis.port())) {
			first.await("granted");
			String key = "leader:" + LeaderApplication.ROLE;
			assertThat(operator.registry().forceRelease(key, null).join()).isTrue();
			first.await("revoked");
			first.await("granted");
		}
	}

	@Test
	void anotherLeadsWhenTheLeaderStops() {
		try (RedisServer redis = RedisServers.start(); JvmProcess first = candidate(redis)) {
			first.await("granted");
			try (JvmProcess second = candidate(redis)) {
				second.await("follower");
				first.send("end");
				assertThat(first.awaitEnd()).isZero();
				second.await("granted");
			}
		}
	}

	private static JvmProcess candidate(RedisServer redis) {
		return JvmProcess.start(LeaderApplication.class, redis.port(), TTL);
	}

}
