// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acquisitions that replicas have to acknowledge, in a cluster: each node waits for its
 * own.
 */
@Tag("proof")
class ClusterAcknowledgementTest {

	@Test
	void replicaOfTheNodeHasTheLockWhenItIsAcquired() {
		try (RedisCluster cluster = RedisCluster.start(); TestStore store = store(cluster, Duration.ofSeconds(30))) {
			for (int i = 0; i < 100; i++) {
				String key = "stock:" + i;
				value(store.store().acquire(acquire(key, "a:" + i)));
				String name = name(key);
				assertThat(cluster.replicaOf(cluster.primaryOf(name)).keys(name)).containsExactly(name);
			}
		}
	}

	@Test
	void nodeWhoseReplicaHangsGrantsNothingAndOthersDo() {
		try (RedisCluster cluster = RedisCluster.start(); TestStore store = store(cluster, Duration.ofSeconds(3))) {
			value(store.store().acquire(acquire("held", "a:1")));
			RedisServer primary = cluster.primaryOf(name("held"));
			cluster.pause(cluster.replicaOf(primary));
			int granted = 0;
			int refused = 0;
			for (int i = 0; i < 30; i++) {
				String key = "stock:" + i;
				if (cluster.primaryOf(name(key)) != primary) {
					value(store.store().acquire(acquire(key, "b:" + i)));
					granted++;
				}
				else if (refused < 1) {
					assertThat(failure(store.store().acquire(acquire(key, "b:" + i))))
						.hasMessageContaining("0 of the required 1 replicas");
					assertThat(primary.keys(name(key))).isEmpty();
					refused++;
				}
			}
			assertThat(granted).isPositive();
			assertThat(refused).isPositive();
			assertThat(value(store.store().renew(List.of(new Renew("held", "a:1", TestStore.TTL)))))
				.containsExactly(true);
		}
	}

	private static String name(String key) {
		return RedisNames.of("lock", true).get(RedisNames.bucketOf(key)).locks() + key;
	}

	private static Acquire acquire(String key, String owner) {
		return new Acquire(key, owner.substring(0, 1), owner, TestStore.TTL, false, TestStore.TOKENS);
	}

	private static TestStore store(RedisCluster cluster, Duration timeout) {
		return new TestStore(cluster.nodes().get(0), cluster.connectionFactory(),
				RedisStoreSettings.defaults().withReplicasAcknowledged(1).withAcknowledgementTimeout(timeout));
	}

}
