// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.quorum.QuorumLockStore;
import io.lockstarter.quorum.QuorumNode;
import io.lockstarter.quorum.redis.VotingRedis;
import io.lockstarter.redis.RedisStoreSettings;

/**
 * Applications whose locks are in a quorum.
 */
final class VotingInstance {

	private VotingInstance() {
	}

	/**
	 * Start an application.
	 * @param ports the ports of the servers, each of which has half of the command
	 * timeout
	 * @param settings the settings of its registry
	 * @param maxTtl the longest ttl
	 */
	static Instance start(List<Integer> ports, RegistrySettings settings, Duration maxTtl) {
		List<RedisClient> clients = ports.stream()
			.map((port) -> RedisClient.create(Instance.Clients.RESOURCES, RedisURI.create("127.0.0.1", port)))
			.toList();
		List<QuorumNode> nodes = clients.stream()
			.map((client) -> new VotingRedis(client, RedisStoreSettings.defaults(), QuorumLockStore.abstention(maxTtl)))
			.map((node) -> new QuorumNode(node, settings.commandTimeout().dividedBy(2)))
			.toList();
		return Instance.of(new QuorumLockStore(nodes, maxTtl), () -> clients.forEach(RedisClient::shutdown), settings);
	}

	/**
	 * Return whether a majority votes. Who waits for a server that abstains asks again as
	 * rarely as it polls.
	 */
	static boolean isUsable(Instance instance, Duration ttl) throws InterruptedException {
		LockOptions once = LockOptions.defaults().withTtl(ttl).withWaitTime(Duration.ZERO);
		try (Lease lease = instance.registry().tryAcquire("warm-up", once).orElse(null)) {
			return lease != null && lease.isValid();
		}
		catch (LockException ex) {
			return false;
		}
	}

}
