// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.ThreadedLockStoreContract;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract, kept by {@link RedisLockStore}.
 */
class RedisLockStoreContractTest extends ThreadedLockStoreContract {

	private static LettuceConnectionFactory factory;

	private final LockStore store = new RedisLockStore(factory, TestStore.SETTINGS);

	@BeforeAll
	static void connect() {
		factory = RedisServers.shared().connectionFactory();
	}

	@AfterAll
	static void disconnect() {
		factory.destroy();
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
	void keysCanBeShared() {
		assertThat(store().isShareable()).isTrue();
	}

	@Test
	void releasesGrantKeys() {
		assertThat(grants()).isTrue();
	}

}
