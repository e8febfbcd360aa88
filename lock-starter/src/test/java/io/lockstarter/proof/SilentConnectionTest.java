// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A connection falls silent without an end, as when a firewall forgets it. Others would
 * work.
 */
class SilentConnectionTest {

	@Test
	void silentConnectionIsGivenUpAndReplaced() {
		LockOptions options = LockOptions.defaults().withWaitTime(Duration.ofSeconds(20));
		try (RedisServer redis = RedisServers.start();
				FaultProxy proxy = new FaultProxy(redis.port());
				Instance instance = new Instance(proxy.port(),
						Instance.settings(Duration.ofSeconds(1), Duration.ofSeconds(30)))) {
			await().ignoreExceptions().until(() -> instance.registry().call("connect", options, (scope) -> true));
			proxy.loseReplyTo(Wire.ACQUIRE, false);
			assertThat(instance.registry().<Boolean, RuntimeException>call("key", options, (scope) -> true)).isTrue();
		}
	}

}
