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

import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a service says when it is told to end (SIGTERM) while it holds a lock.
 */
class ShutdownLogTest {

	@Test
	void lockThatIsLeftToItsTtlIsWarnedOf() {
		try (RedisServer redis = RedisServers.start();
				JvmProcess service = JvmProcess.start(ShutdownApplication.class,
						"--spring.data.redis.port=" + redis.port(), "--spring.main.banner-mode=off",
						"--distributed-lock.shutdown-grace=0s")) {
			service.await("holding");
			service.terminate();
			assertThat(service.awaitRest()).anyMatch((line) -> line.contains("WARN") && line.contains("stock:42"));
		}
	}

}
