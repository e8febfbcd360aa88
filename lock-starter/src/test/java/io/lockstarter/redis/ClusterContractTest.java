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

import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.ThreadedLockStoreContract;
import io.lockstarter.testkit.RedisCluster;

/**
 * The contract, kept in a Redis Cluster.
 */
@Tag("proof")
class ClusterContractTest extends ThreadedLockStoreContract {

	private static RedisClusterClient client;

	private final LockStore store = new RedisLockStore(client, RedisStoreSettings.defaults());

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

}
