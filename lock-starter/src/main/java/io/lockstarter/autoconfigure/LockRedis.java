// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lockstarter.store.LockStore;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis that keeps the locks: that of the application's Lettuce client, or one with a
 * client of its own, which ends with this bean, after the store.
 */
final class LockRedis implements AutoCloseable {

	private final Function<RedisStoreSettings, LockStore> stores;

	private final @Nullable AbstractRedisClient own;

	private LockRedis(Function<RedisStoreSettings, LockStore> stores, @Nullable AbstractRedisClient own) {
		this.stores = stores;
		this.own = own;
	}

	static LockRedis of(LettuceConnectionFactory factory) {
		return new LockRedis((settings) -> new RedisLockStore(factory, settings), null);
	}

	/**
	 * Create a client, without connecting.
	 */
	static LockRedis at(LockAddress address) {
		RedisClient client = RedisClient.create(address.uri());
		client.setOptions(address.options());
		return new LockRedis((settings) -> new RedisLockStore(client, settings), client);
	}

	/**
	 * Create a client for a cluster, without connecting.
	 */
	static LockRedis inCluster(List<RedisURI> nodes, @Nullable SslOptions tls) {
		RedisClusterClient client = RedisClusterClient.create(nodes);
		if (tls != null) {
			client.setOptions(ClusterClientOptions.builder().sslOptions(tls).build());
		}
		return new LockRedis((settings) -> new RedisLockStore(client, settings), client);
	}

	/**
	 * Leave it to somebody else where locks are kept.
	 */
	static LockRedis of(LockStoreFactory factory, LockSettings settings) {
		return new LockRedis(
				(redis) -> factory.create(redis, settings.registry().ttl(), settings.registry().commandTimeout()),
				null);
	}

	static SslOptions tls(SslBundle bundle) {
		SslOptions.Builder tls = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		return tls(tls, bundle.getOptions().getCiphers(), bundle.getOptions().getEnabledProtocols());
	}

	static SslOptions tls(SslOptions.Builder tls, String @Nullable [] ciphers, String @Nullable [] protocols) {
		if (ciphers != null) {
			tls.cipherSuites(ciphers);
		}
		if (protocols != null) {
			tls.protocols(protocols);
		}
		return tls.build();
	}

	LockStore store(RedisStoreSettings settings) {
		return this.stores.apply(settings);
	}

	@Override
	public void close() {
		if (this.own != null) {
			this.own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		}
	}

}
