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
