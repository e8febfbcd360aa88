// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;

import io.lettuce.core.KillArgs;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoreStatus.State;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a registry says of a server that served, and then answers that it does not any
 * more, with whatever that does to connections.
 */
class StoreStatusTest {

	@Test
	void serverThatBecameAReplicaRefusesAtOnceAndServesAgainAsAPrimary() {
		try (RedisServer server = RedisServers.start(); TestStore store = new TestStore(server)) {
			assertRefuses(store, () -> store.redis().replicaof("127.0.0.1", RedisServers.freePort()),
					() -> store.redis().replicaofNoOne(), "the server is a replica");
		}
	}

	@Test
	void serverWithAnotherPasswordRefusesAtOnce() {
		try (RedisServer server = RedisServers.start(); TestStore store = TestStore.withAcl(server, "shop")) {
			assertRefuses(store, () -> {
				TestStore.acl(server, "shop", "resetpass", ">another");
				store.redis().clientKill(KillArgs.Builder.user("shop"));
			}, () -> TestStore.acl(server, "shop", ">secret"), "WRONGPASS");
		}
	}

	@Test
	void serverThatDeniesScriptsRefusesAtOnce() {
		try (RedisServer server = RedisServers.start(); TestStore store = TestStore.withAcl(server, "shop")) {
			assertRefuses(store, () -> TestStore.acl(server, "shop", "-evalsha", "-eval"),
					() -> TestStore.acl(server, "shop", "+@all"), "NOPERM");
		}
	}

	private static void assertRefuses(TestStore store, Runnable fault, Runnable cure, String failure) {
		DefaultLockRegistry registry = new DefaultLockRegistry("app", store.store(), RegistrySettings.defaults(),
				List.of());
		try {
			assertThat(status(registry).state()).isEqualTo(State.ANSWERING);
			fault.run();
			// What was proved counts for a while, unless a command fails. On a busy
			// machine
			// the store is silent at first, if the next connection takes a second.
			var unused = registry.acquireAsync("stock:42", LockOptions.defaults().withWaitTime(Duration.ZERO));
			StoreStatus first = TestStore.soon()
				.until(() -> status(registry),
						(status) -> status.state() != State.ANSWERING && status.state() != State.SILENT);
			assertThat(first.state()).isEqualTo(State.REFUSING);
			assertThat(first.failure()).contains(failure);
			cure.run();
			TestStore.soon().until(() -> status(registry).state() == State.ANSWERING);
		}
		finally {
			registry.stop();
		}
	}

	private static StoreStatus status(DefaultLockRegistry registry) {
		return registry.checkStore().join();
	}

}
