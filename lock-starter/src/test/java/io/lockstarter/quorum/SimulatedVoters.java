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
import java.util.List;

import io.lockstarter.store.LockStore;
import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.JvmPlatform;
import io.lockstarter.simulation.Net;

/**
 * Stores of the simulation that ask several servers.
 */
public final class SimulatedVoters {

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

	private SimulatedVoters() {
	}

	public static Duration abstention(Duration maxTtl) {
		return QuorumLockStore.abstention(maxTtl);
	}

	public static LockStore store(JvmPlatform platform, Net net, List<String> addresses, Duration connectTimeout,
			Duration maxTtl) {
		Duration abstention = abstention(maxTtl);
		List<QuorumNode> nodes = addresses.stream()
			.map((address) -> new QuorumNode(SimulatedStores.voter(platform, net, address, connectTimeout, abstention),
					NODE_TIMEOUT))
			.toList();
		return new QuorumLockStore(nodes, maxTtl, Duration.ofMillis(100), platform);
	}

}
