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
package io.lockstarter.quorum;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.ThreadedLockStoreContract;

/**
 * The contract, kept by three independent servers.
 */
@Tag("proof")
class QuorumContractTest extends ThreadedLockStoreContract {

	private static Servers servers;

	private static LockStore store;

	@BeforeAll
	static void start() {
		servers = new Servers(3, Duration.ofMillis(1));
		store = servers.store();
		servers.awaitReady(store);
	}

	@AfterAll
	static void stop() {
		servers.close();
	}

	@Override
	protected LockStore store() {
		return store;
	}

	// Each step takes several servers, and sometimes another try.
	@Override
	protected Duration fuzzing() {
		return Duration.ofSeconds(10);
	}

}
