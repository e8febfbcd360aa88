// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Servers that are there, and not as the settings say: commands fail at once, for good,
 * and name the setting.
 */
class RefusedConnectionTest {

	/**
	 * Clients that know of the cluster have other keys there, and would not exclude it.
	 */
	@Test
	void nodeOfAClusterIsRefusedUnlessTheSettingsNameACluster() {
		try (RedisServer server = RedisServers.start("--cluster-enabled", "yes")) {
			server.commands().clusterAddSlots(IntStream.range(0, 16384).toArray());
			assertThat(refusal(address(server))).hasMessageContaining("the server is a node of a Redis Cluster")
				.hasMessageContaining("'spring.data.redis.cluster.nodes'");
			assertThat(server.keys("*lock:*")).isEmpty();
		}
	}

	@Test
	void serverThatIsNoClusterIsRefusedIfTheSettingsNameOne() {
		assertThat(refusal(RedisClusterClient.create(address(RedisServers.shared()))))
			.hasMessageContaining("cluster support disabled")
			.hasMessageContaining("'spring.data.redis.host'");
	}

	@Test
	void sentinelIsNotTakenForAServer() {
		try (RedisServer sentinel = RedisServers.startSentinel()) {
			assertThat(refusal(address(sentinel))).hasMessageContaining("the server is a Sentinel")
				.hasMessageContaining("'spring.data.redis.sentinel.*'");
		}
	}

	@Test
	void databaseThatTheServerLacksIsNamed() {
		RedisURI address = address(RedisServers.shared());
		address.setDatabase(99);
		assertThat(refusal(address)).hasMessageContaining("DB index is out of range")
			.hasMessageContaining("'spring.data.redis.database'");
	}

	@Test
	void serverWithoutScriptsIsNamed() {
		try (RedisServer server = RedisServers.start("--rename-command", "EVAL", "")) {
			assertThat(failure(RedisClient.create(RedisServers.clientResources(), address(server))))
				.hasMessageStartingWith("Redis refused to acquire k: ERR unknown command");
		}
	}

	/**
	 * That passes by itself.
	 */
	@Test
	void serverWithTooManyClientsIsNamed() {
		try (RedisServer server = RedisServers.start()) {
			server.commands().configSet("maxclients", "1");
			LockStoreException failure = failure(RedisClient.create(RedisServers.clientResources(), address(server)));
			assertThat(failure).hasMessageContaining("max number of clients").hasMessageContaining("'maxclients'");
			assertThat(failure.isTransient()).isTrue();
			assertThat(failure.isRefusal()).isTrue();
		}
	}

	private static LockStoreException refusal(RedisURI address) {
		return refusal(RedisClient.create(RedisServers.clientResources(), address));
	}

	private static LockStoreException refusal(AbstractRedisClient client) {
		LockStoreException failure = failure(client);
		assertThat(failure).hasMessageStartingWith("Cannot acquire k: Redis refused the connection: ");
		assertThat(failure.isTransient()).isFalse();
		assertThat(failure.isRefusal()).isTrue();
		assertThat(failure.isOutcomeUnknown()).isFalse();
		return failure;
	}

	private static LockStoreException failure(AbstractRedisClient client) {
		try (RedisLockStore store = (client instanceof RedisClusterClient cluster)
				? new RedisLockStore(cluster, RedisStoreSettings.defaults())
				: new RedisLockStore((RedisClient) client, RedisStoreSettings.defaults())) {
			return (LockStoreException) catchThrowableOfType(CompletionException.class,
					acquire(store).orTimeout(10, TimeUnit.SECONDS)::join)
				.getCause();
		}
		finally {
			client.shutdown();
		}
	}

	private static CompletableFuture<?> acquire(RedisLockStore store) {
		return store.acquire(new Acquire("k", "a", "a:1", Duration.ofSeconds(1), false, 1));
	}

	private static RedisURI address(RedisServer server) {
		return RedisURI.create(server.host(), server.port());
	}

}
