// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis of the application: where it is, and how to get there. Immutable.
 */
public final class ApplicationRedis {

	private final boolean cluster;

	private final Platform platform;

	private final Source source;

	private ApplicationRedis(boolean cluster, Platform platform, Source source) {
		this.cluster = cluster;
		this.platform = platform;
		this.source = source;
	}

	/**
	 * Return that of a connection factory, which stays in charge of its client.
	 * @param factory the application's connection factory
	 * @return where its client connects to, asked for anew for each client of ours
	 */
	public static ApplicationRedis of(LettuceConnectionFactory factory) {
		return new ApplicationRedis(factory.isClusterAware(), Platform.system(), new OfFactory(factory));
	}

	/**
	 * Return that of a client that knows its address.
	 * @param client the client, which its owner shuts down after all was closed
	 * @return where it connects to
	 */
	public static ApplicationRedis of(AbstractRedisClient client) {
		return new ApplicationRedis(client instanceof RedisClusterClient, Platform.system(), new OfClient(client));
	}

	/**
	 * Return one that is reached in another way.
	 * @param transports creates the transport, and another one after each end of a client
	 * @param addresses the server, several of which one is the primary, or nodes of the
	 * cluster
	 */
	static ApplicationRedis over(Supplier<Transport> transports, List<RedisURI> addresses, boolean cluster,
			Platform platform) {
		return new ApplicationRedis(cluster, platform, new Over(transports, addresses, cluster, platform));
	}

	/**
	 * Return whether it is a Redis Cluster.
	 * @return true if so
	 */
	public boolean isCluster() {
		return this.cluster;
	}

	/**
	 * Return on what all that has to do with it runs.
	 * @return the platform
	 */
	public Platform platform() {
		return this.platform;
	}

	Source source() {
		return this.source;
	}

	/**
	 * Where clients of ours come from.
	 */
	interface Source {

		/**
		 * Return what a client of ours belongs to, such as the application's client.
		 * @throws IllegalStateException if it is not there now
		 */
		@Nullable Object present();

		/**
		 * Create a client of ours.
		 * @param present what it belongs to
		 * @throws IllegalStateException if that cannot be used
		 */
		LettuceClient client(@Nullable Object present, Duration connectTimeout);

	}

	private record OfFactory(LettuceConnectionFactory factory) implements Source {

		@Override
		public @Nullable Object present() {
			return this.factory.getNativeClient();
		}

		@Override
		public LettuceClient client(@Nullable Object present, Duration connectTimeout) {
			return LettuceClient.of((AbstractRedisClient) present, StaticNodes.of(this.factory), connectTimeout);
		}

	}

	private record OfClient(AbstractRedisClient client) implements Source {

		@Override
		public Object present() {
			return this.client;
		}

		@Override
		public LettuceClient client(@Nullable Object present, Duration connectTimeout) {
			return LettuceClient.of(this.client, List.of(), connectTimeout);
		}

	}

	private record Over(Supplier<Transport> transports, List<RedisURI> addresses, boolean cluster,
			Platform platform) implements Source {

		@Override
		public Object present() {
			return this.transports;
		}

		@Override
		public LettuceClient client(@Nullable Object present, Duration connectTimeout) {
			return new LettuceClient(this.transports, this.addresses, this.cluster, this.transports.get(),
					this.platform, connectTimeout);
		}

	}

}
