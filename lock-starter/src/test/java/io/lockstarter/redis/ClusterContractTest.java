// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Tag;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.ThreadedLockStoreContract;
import io.lockstarter.testkit.RedisCluster;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract, kept in a Redis Cluster.
 */
@Tag("proof")
class ClusterContractTest extends ThreadedLockStoreContract {

	private static RedisClusterClient client;

	private final LockStore store = new RedisLockStore(client, TestStore.SETTINGS);

	@BeforeAll
	static void connect() {
		client = RedisCluster.shared().client();
	}

	@AfterAll
	static void disconnect() {
		client.shutdown();
	}

	@AfterEach
	void close() {
		this.store.close();
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
