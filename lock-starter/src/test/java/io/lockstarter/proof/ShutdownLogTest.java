// SPDX-License-Identifier: Apache-2.0
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
