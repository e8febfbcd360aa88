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
