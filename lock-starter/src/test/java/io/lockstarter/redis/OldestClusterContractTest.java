// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.ThreadedLockStoreContract;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisCluster;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract, kept in a cluster of the oldest Redis that is supported, which has no
 * sharded channels.
 */
@Tag("proof")
class OldestClusterContractTest extends ThreadedLockStoreContract {

	private static RedisCluster cluster;

	private static RedisClusterClient client;

	private final LockStore store = new RedisLockStore(client, TestStore.SETTINGS);

	@BeforeAll
	static void connect() {
		cluster = RedisCluster.startOldest();
		client = cluster.client();
	}

	@AfterAll
	static void disconnect() {
		if (cluster != null) {
			client.shutdown();
			cluster.close();
		}
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void nodesAreTheOldest() {
		assertThat(cluster.nodes()).allMatch((node) -> node.commands().info("server").contains("redis_version:6.2."));
	}

	@Test
	void signalsArriveForAUserWhoMayNotAskForTheVersion() {
		cluster.nodes()
			.forEach((node) -> TestStore.acl(node, "limited", "on", ">secret", "~*", "&*", "+@all", "-info"));
		try (RedisClusterClient limited = cluster.client("limited", "secret");
				RedisLockStore denied = new RedisLockStore(limited, RedisStoreSettings.defaults())) {
			Recorder recorder = new Recorder();
			denied.listen("b", recorder);
			recorder.awaitEvent("listening");
			TestStore.value(denied.acquire(new Acquire("k", "a", "a:1", TestStore.TTL, false, 1)));
			TestStore.value(denied.acquire(new Acquire("k", "b", "b:1", TestStore.TTL, true, 1)));
			TestStore.value(denied.release(new Release("k", "a", "a:1", false)));
			recorder.awaitEvent("reserved k");
		}
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Test
	void releasesGrantKeys() {
		assertThat(grants()).isTrue();
	}

}
