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

	private final Supplier<? extends @Nullable Object> present;

	private final ClientFactory factory;

	private ApplicationRedis(boolean cluster, Platform platform, Supplier<? extends @Nullable Object> present,
			ClientFactory factory) {
		this.cluster = cluster;
		this.platform = platform;
		this.present = present;
		this.factory = factory;
	}

	/**
	 * Return that of a connection factory, which stays in charge of its client.
	 * @param factory the application's connection factory
	 * @return where its client connects to, asked for anew for each client of ours
	 */
	public static ApplicationRedis of(LettuceConnectionFactory factory) {
		return of(factory.isClusterAware(), factory::getNativeClient, () -> StaticNodes.of(factory));
	}

	/**
	 * Return that of a client that knows its address.
	 * @param client the client, which its owner shuts down after all was closed
	 * @return where it connects to
	 */
	public static ApplicationRedis of(AbstractRedisClient client) {
		return of(client instanceof RedisClusterClient, () -> client, List::of);
	}

	private static ApplicationRedis of(boolean cluster, Supplier<? extends @Nullable AbstractRedisClient> present,
			Supplier<List<RedisURI>> nodes) {
		return new ApplicationRedis(cluster, Platform.system(), present, (client, connectTimeout,
				script) -> LettuceClient.of((AbstractRedisClient) client, nodes.get(), connectTimeout, script));
	}

	/**
	 * Return one that is reached in another way.
	 * @param transports creates the transport, and another one after each end of a client
	 * @param addresses the server, several of which one is the primary, or nodes of the
	 * cluster
	 */
	static ApplicationRedis over(Supplier<Transport> transports, List<RedisURI> addresses, boolean cluster,
			Platform platform) {
		return new ApplicationRedis(cluster, platform, () -> transports,
				(same, connectTimeout, script) -> new LettuceClient(transports, addresses, cluster, transports.get(),
						platform, connectTimeout, script));
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

	/**
	 * Create what provides our client.
	 * @param script supplies what to load on each server
	 */
	CurrentClient client(Duration connectTimeout, Supplier<byte[]> script) {
		return new CurrentClient(this.present, (client) -> this.factory.create(client, connectTimeout, script.get()),
				this.platform);
	}

	@FunctionalInterface
	private interface ClientFactory {

		LettuceClient create(@Nullable Object client, Duration connectTimeout, byte[] script);

	}

}
