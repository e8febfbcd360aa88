// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.ThreadedLockStoreContract;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract, kept on the oldest Redis that is supported.
 */
@Tag("proof")
class OldestRedisContractTest extends ThreadedLockStoreContract {

	private static RedisServer redis;

	private static LettuceConnectionFactory factory;

	private final LockStore store = new RedisLockStore(factory, TestStore.SETTINGS);

	@BeforeAll
	static void connect() {
		redis = RedisServers.startOldest(Map.of());
		factory = redis.connectionFactory();
	}

	@AfterAll
	static void disconnect() {
		if (factory != null) {
			factory.destroy();
			redis.close();
		}
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void serverIsTheOldest() {
		assertThat(redis.commands().info("server")).contains("redis_version:6.2.");
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
