/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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

	@Test
	void keysCanBeShared() {
		assertThat(store().isShareable()).isTrue();
	}

}
