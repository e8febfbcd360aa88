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
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lockstarter.engine.VotingStore;
import io.lockstarter.platform.Timer;
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
			boolean cluster, @org.jspecify.annotations.Nullable Duration abstention) {
		RedisStoreSettings settings = new RedisStoreSettings(PREFIX, Duration.ofMillis(250), Duration.ofHours(1),
				connectTimeout);
		int colon = address.indexOf(':');
		RedisURI uri = RedisURI.create(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
		return new RedisLockStore(() -> new NetTransport(platform, net), List.of(uri), cluster, settings, abstention,
				platform);
	}

	/**
	 * Leads to the network of the simulation.
	 */
	private static final class NetTransport implements Transport {

		private final JvmPlatform platform;

		private final Net net;

		private final Timer timer;

		NetTransport(JvmPlatform platform, Net net) {
			this.platform = platform;
			this.net = net;
			this.timer = platform.timer("io");
		}

		@Override
		@SuppressWarnings("unchecked")
		public CompletableFuture<StatefulRedisConnection<String, String>> connect(RedisURI address) {
			return inTime(dial(address, false), address.getTimeout())
				.thenApply((opened) -> (StatefulRedisConnection<String, String>) opened.connection());
		}

		@Override
		@SuppressWarnings("unchecked")
		public CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPubSub(RedisURI address) {
			return inTime(dial(address, true), address.getTimeout())
				.thenApply((opened) -> (StatefulRedisPubSubConnection<String, String>) opened.connection());
		}

		private CompletableFuture<SimulatedConnection<?>> dial(RedisURI address, boolean messages) {
			return this.net.dial(this.platform.jvm(), address.getHost() + ":" + address.getPort(), messages);
		}

		@Override
		public Runnable runLater(Runnable task, Duration delay) {
			return this.timer.schedule(task, delay.toNanos());
		}

		@Override
		public CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
			return connection.closeAsync();
		}

		@Override
		public CompletableFuture<?> close() {
			return CompletableFuture.completedFuture(null);
		}

	}

}
