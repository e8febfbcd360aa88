// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;

import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

import io.lockstarter.redis.connection.SimulatedTransport;
import io.lockstarter.store.VotingStore;
import io.lockstarter.simulation.JvmPlatform;
import io.lockstarter.simulation.Net;

/**
 * Stores of the simulation: real ones, whose connections lead to its network.
 */
public final class SimulatedStores {

	private static final String PREFIX = "lock";

	private static final List<RedisNames> ONE = RedisNames.of(PREFIX, false);

	private static final List<RedisNames> CLUSTER = RedisNames.of(PREFIX, true);

	/**
	 * Shorter than most ttls of the simulation.
	 */
	private static final Duration GRANT_TERM = Duration.ofMillis(400);

	private SimulatedStores() {
	}

	/**
	 * Return what a lock is called at a server.
	 */
	public static String lock(String key, boolean cluster) {
		List<RedisNames> names = cluster ? CLUSTER : ONE;
		return names.get(RedisNames.bucketOf(key, names.size())).locks() + key;
	}

	public static RedisLockStore one(JvmPlatform platform, Net net, String address, Duration connectTimeout) {
		return store(platform, net, address, connectTimeout, false, null);
	}

	public static RedisLockStore cluster(JvmPlatform platform, Net net, String address, Duration connectTimeout) {
		return store(platform, net, address, connectTimeout, true, null);
	}

	public static VotingStore voter(JvmPlatform platform, Net net, String address, Duration connectTimeout,
			Duration abstention) {
		return store(platform, net, address, connectTimeout, false, abstention);
	}

	private static RedisLockStore store(JvmPlatform platform, Net net, String address, Duration connectTimeout,
			boolean cluster, @Nullable Duration abstention) {
		RedisStoreSettings settings = RedisStoreSettings.defaults()
			.withKeyPrefix(PREFIX)
			.withGrantTerm(GRANT_TERM)
			.withConnectTimeout(connectTimeout);
		int colon = address.indexOf(':');
		RedisURI uri = RedisURI.create(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
		SimulatedTransport.Dialler dialler = (server, messages) -> net.dial(platform.jvm(),
				server.getHost() + ":" + server.getPort(), messages);
		return new RedisLockStore(
				SimulatedTransport.application(dialler, () -> platform.timer("io"), List.of(uri), cluster, platform),
				settings, abstention);
	}

}
