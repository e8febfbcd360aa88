// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisURI;

import io.lockstarter.redis.connection.ApplicationRedis;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.redis.connection.SimulatedTransport;
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

	/**
	 * What the stores have in common.
	 */
	public static final RedisStoreSettings SETTINGS = RedisStoreSettings.defaults()
		.withKeyPrefix(PREFIX)
		.withGrantTerm(GRANT_TERM);

	/**
	 * What Sentinels call the servers.
	 */
	public static final String MASTER = "locks";

	/**
	 * How addresses begin that lead to whom a Sentinel names.
	 */
	public static final String PRIMARY_OF = "primary of ";

	private SimulatedStores() {
	}

	/**
	 * Return what a lock is called at a server.
	 */
	public static String lock(String key, boolean cluster) {
		List<RedisNames> names = cluster ? CLUSTER : ONE;
		return names.get(RedisNames.bucketOf(key, names.size())).locks() + key;
	}

	/**
	 * Return the channels that an instance listens to.
	 */
	public static List<String> channels(String instance, boolean cluster) {
		return (cluster ? CLUSTER : ONE).stream().map((names) -> names.channel(instance)).toList();
	}

	/**
	 * Return a key that begins so, and is where others are in a cluster that were made
	 * so.
	 */
	public static String inFirstBucket(String key) {
		int number = 0;
		while (RedisNames.bucketOf(key + "-" + number, CLUSTER.size()) != 0) {
			number++;
		}
		return key + "-" + number;
	}

	public static RedisLockStore one(JvmPlatform platform, Net net, String address, RedisStoreSettings settings) {
		return store(platform, net, address, settings, false);
	}

	/**
	 * Return a store whose server Sentinels name.
	 */
	public static RedisLockStore behind(JvmPlatform platform, Net net, List<String> sentinels,
			RedisStoreSettings settings) {
		RedisURI uri = new RedisURI();
		uri.setSentinelMasterId(MASTER);
		sentinels.forEach((each) -> uri.getSentinels().add(uri(each)));
		return store(platform, net, uri, settings, false);
	}

	/**
	 * Return what leads to the server that a Sentinel names.
	 */
	public static String primaryOf(String sentinel) {
		return PRIMARY_OF + sentinel;
	}

	public static RedisLockStore cluster(JvmPlatform platform, Net net, String address, RedisStoreSettings settings) {
		return store(platform, net, address, settings, true);
	}

	private static RedisLockStore store(JvmPlatform platform, Net net, String address, RedisStoreSettings settings,
			boolean cluster) {
		return store(platform, net, uri(address), settings, cluster);
	}

	private static RedisURI uri(String address) {
		int colon = address.indexOf(':');
		return RedisURI.create(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
	}

	private static RedisLockStore store(JvmPlatform platform, Net net, RedisURI uri, RedisStoreSettings settings,
			boolean cluster) {
		return new RedisLockStore(application(platform, net, uri, cluster), settings);
	}

	/**
	 * Return where a server is, for a store of another package.
	 */
	public static ApplicationRedis application(JvmPlatform platform, Net net, String address) {
		return application(platform, net, uri(address), false);
	}

	private static ApplicationRedis application(JvmPlatform platform, Net net, RedisURI uri, boolean cluster) {
		return SimulatedTransport.application(new Way(platform, net), () -> platform.timer("io"), List.of(uri), cluster,
				platform);
	}

	/**
	 * The way of a process to the servers.
	 */
	private record Way(JvmPlatform platform, Net net) implements SimulatedTransport.Dialler {

		@Override
		public CompletableFuture<SimulatedConnection> dial(RedisURI server) {
			// As Lettuce does, which asks the first Sentinel that answers.
			String address = server.getSentinels().isEmpty() ? server.getHost() + ":" + server.getPort()
					: primaryOf(server.getSentinels().get(0).getHost());
			return this.net.dial(this.platform.jvm(), address);
		}

		@Override
		public int threads() {
			return this.platform.clients();
		}

		@Override
		public void begins() {
			this.platform.clientBegins();
		}

		@Override
		public void ends() {
			this.platform.clientEnds();
		}

	}

}
