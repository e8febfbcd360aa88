// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How many connections an instance has to the servers of a quorum, as docs/sizing.md
 * says.
 */
class QuorumConnectionsTest {

	private static final int SERVERS = 3;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(LockOptions.UNLIMITED);

	@Test
	void anInstanceHasOneConnectionToEachServer() {
		try (Servers servers = new Servers(SERVERS, Duration.ofMillis(100))) {
			List<Long> before = clients(servers);
			DefaultLockRegistry holder = registry("holder", servers);
			DefaultLockRegistry waiting = registry("waiting", servers);
			holder.acquireAsync("stock:42", PATIENT).join();
			for (int i = 0; i < 100; i++) {
				waiting.acquireAsync("stock:" + (100 + i), PATIENT).join();
				assertThat(waiting.acquireAsync("stock:42", PATIENT)).isNotDone();
			}
			await().until(() -> servers.tell("waiting"));
			List<Long> after = clients(servers);
			assertThat(IntStream.range(0, SERVERS).mapToLong((server) -> after.get(server) - before.get(server)))
				.allSatisfy((connections) -> assertThat(connections).isEqualTo(2));
			waiting.stop();
			holder.stop();
		}
	}

	private static DefaultLockRegistry registry(String id, Servers servers) {
		return new DefaultLockRegistry(id, servers.store(),
				RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());
	}

	private static List<Long> clients(Servers servers) {
		return IntStream.range(0, SERVERS).mapToObj(servers::get).map(QuorumConnectionsTest::clients).toList();
	}

	private static long clients(RedisServer server) {
		return server.commands().clientList().lines().count();
	}

}
