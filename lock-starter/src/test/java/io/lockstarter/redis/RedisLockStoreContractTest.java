package io.lockstarter.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.engine.LockStore;
import io.lockstarter.engine.LockStoreContract;
import io.lockstarter.testkit.RedisServers;

/**
 * The contract, kept by {@link RedisLockStore}.
 */
class RedisLockStoreContractTest extends LockStoreContract {

	private static LettuceConnectionFactory factory;

	private final LockStore store = new RedisLockStore(factory, RedisStoreSettings.defaults());

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

}
