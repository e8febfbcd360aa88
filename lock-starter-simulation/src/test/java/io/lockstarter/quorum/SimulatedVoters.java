// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;

import io.lockstarter.store.LockStore;
import io.lockstarter.quorum.redis.SimulatedVoter;
import io.lockstarter.redis.RedisStoreSettings;
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

	public static LockStore store(JvmPlatform platform, Net net, List<String> addresses, RedisStoreSettings settings,
			Duration maxTtl) {
		Duration abstention = abstention(maxTtl);
		List<QuorumNode> nodes = addresses.stream()
			.map((address) -> new QuorumNode(
					SimulatedVoter.of(SimulatedStores.application(platform, net, address), settings, abstention),
					NODE_TIMEOUT))
			.toList();
		return new QuorumLockStore(nodes, maxTtl, Duration.ofMillis(100), platform);
	}

}
