// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import javax.net.ssl.SSLParameters;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Has Lettuce connect where a {@link JedisConnectionFactory} connects, with its
 * credentials, database, client name and TLS. The factory itself is asked, as Spring
 * Boot's connection details say nothing of a factory that an application makes itself.
 */
final class JedisRedis {

	private final JedisConnectionFactory factory;

	private final JedisClientConfig config;

	private JedisRedis(JedisConnectionFactory factory) {
		this.factory = factory;
		RedisConfiguration several = (factory.getSentinelConfiguration() != null) ? factory.getSentinelConfiguration()
				: factory.getClusterConfiguration();
		this.config = config(RedisConfiguration
			.getUsernameOrElse((several != null) ? several : factory.getStandaloneConfiguration(), () -> null),
				factory.getPassword(), factory.getDatabase());
	}

	/**
	 * Create a client for the same Redis, without connecting.
	 * @param bundle provides the SSL bundle that the socket factory of this connection
	 * factory may be from, which does not tell whom it trusts
	 * @throws LockSetupException if not all that matters can be taken over
	 */
	static LockRedis of(JedisConnectionFactory factory, Supplier<@Nullable SslBundle> bundle) {
		JedisRedis jedis = new JedisRedis(factory);
		SslOptions tls = jedis.config.isSsl() ? jedis.tls(bundle) : null;
		if (jedis.config.getAuthXManager() != null) {
			throw jedis.untranslatable("an AuthXManager");
		}
		if (jedis.config.getHostAndPortMapper() != null) {
			throw jedis.untranslatable("a HostAndPortMapper");
		}
		RedisClusterConfiguration cluster = factory.getClusterConfiguration();
		return (cluster != null) ? LockRedis.inCluster(jedis.addresses(cluster.getClusterNodes(), jedis.config), tls)
				: LockRedis.at(new LockAddress(jedis.address(), tls));
	}

	/**
	 * Create the configuration of Jedis as the factory does, for one of its servers.
	 */
	@SuppressWarnings("deprecation") // The method that replaces it is not in Spring Data
										// 3.5.
	private JedisClientConfig config(@Nullable String user, @Nullable String password, int database) {
		JedisClientConfiguration client = this.factory.getClientConfiguration();
		DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder()
			.database(database)
			.clientName(this.factory.getClientName())
			.user(StringUtils.hasLength(user) ? user : null)
			.password(StringUtils.hasLength(password) ? password : null);
		if (this.factory.isUseSsl()) {
			builder.ssl(true);
			client.getSslSocketFactory().ifPresent(builder::sslSocketFactory);
			client.getHostnameVerifier().ifPresent(builder::hostnameVerifier);
			client.getSslParameters().ifPresent(builder::sslParameters);
		}
		client.getCustomizer().ifPresent((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	private RedisURI address() {
		RedisSentinelConfiguration sentinels = this.factory.getSentinelConfiguration();
		RedisURI address = new RedisURI();
		if (sentinels == null) {
			address.setHost(this.factory.getHostName());
			address.setPort(this.factory.getPort());
		}
		else {
			JedisClientConfig config = config(sentinels.getSentinelUsername(),
					sentinels.getSentinelPassword().toOptional().map(String::new).orElse(null), 0);
			address.setSentinelMasterId(Objects.requireNonNull(sentinels.getMaster()).getName());
			address.getSentinels().addAll(addresses(sentinels.getSentinels(), config));
		}
		apply(this.config, address);
		address.setDatabase(this.config.getDatabase());
		return address;
	}

	private List<RedisURI> addresses(Collection<RedisNode> nodes, JedisClientConfig config) {
		List<RedisURI> addresses = new ArrayList<>();
		for (RedisNode node : nodes) {
			RedisURI address = RedisURI.create(Objects.requireNonNull(node.getHost()),
					Objects.requireNonNull(node.getPort()));
			apply(config, address);
			addresses.add(address);
		}
		return addresses;
	}

	private static void apply(JedisClientConfig config, RedisURI address) {
		Supplier<redis.clients.jedis.RedisCredentials> credentials = config.getCredentialsProvider();
		address.setCredentialsProvider(RedisCredentialsProvider.from(() -> current(credentials)));
		address.setClientName(config.getClientName());
		address.setSsl(config.isSsl());
		address.setVerifyPeer(verifiesHost(config) ? SslVerifyMode.FULL : SslVerifyMode.CA);
	}

	private static RedisCredentials current(Supplier<redis.clients.jedis.RedisCredentials> credentials) {
		if (!(credentials instanceof redis.clients.jedis.RedisCredentialsProvider provider)) {
			return lettuce(credentials.get());
		}
		provider.prepare();
		try {
			return lettuce(provider.get());
		}
		finally {
			provider.cleanUp();
		}
	}

	private static RedisCredentials lettuce(redis.clients.jedis.RedisCredentials credentials) {
		return RedisCredentials.just(credentials.getUser(), credentials.getPassword());
	}

	// Jedis does not, unless it is told to.
	private static boolean verifiesHost(JedisClientConfig config) {
		SSLParameters parameters = config.getSslParameters();
		return config.getHostnameVerifier() != null
				|| (parameters != null && StringUtils.hasLength(parameters.getEndpointIdentificationAlgorithm()));
	}

	private SslOptions tls(Supplier<@Nullable SslBundle> bundles) {
		if (this.config.getSslOptions() != null) {
			throw untranslatable("SslOptions of Jedis");
		}
		if (this.config.getSslSocketFactory() != null) {
			SslBundle bundle = bundles.get();
			if (bundle == null) {
				throw untranslatable("an SSLSocketFactory");
			}
			return LockRedis.tls(bundle);
		}
		SSLParameters parameters = this.config.getSslParameters();
		return (parameters != null)
				? LockRedis.tls(SslOptions.builder(), parameters.getCipherSuites(), parameters.getProtocols())
				: SslOptions.create();
	}

	private LockSetupException untranslatable(String what) {
		return RedisStoreConfiguration.unusable(
				"Distributed locks connect with Lettuce, which cannot take over %s from the JedisConnectionFactory bean"
					.formatted(what),
				"Set 'spring.data.redis.ssl.bundle' for TLS and let Spring Boot define the connection factory");
	}

}
