// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.Collection;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.LockConnectionFactory;
import io.lockstarter.redis.ScriptPart;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static io.lockstarter.autoconfigure.LockAutoConfiguration.noStore;

/**
 * Configuration of locks in Redis: where a {@link LockStoreFactory} keeps them, or else
 * in the one of {@code distributed-lock.url}, or else in that of the qualified connection
 * factory, or else in that of the application's.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ RedisClient.class, LettuceConnectionFactory.class })
@ConditionalOnMissingBean(LockStore.class)
class RedisStoreConfiguration {

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.JedisClientConfig",
			RedisStoreConfiguration.class.getClassLoader());

	// Mistakes in other properties are told first, and those that would stay unbound, as
	// the settings were checked.
	@Bean(destroyMethod = "close")
	LockRedis distributedLockRedis(LockSettings settings, LockProperties properties,
			ObjectProvider<LockStoreFactory> elsewhere,
			@LockConnectionFactory ObjectProvider<RedisConnectionFactory> qualified,
			ObjectProvider<RedisConnectionFactory> factories, ObjectProvider<SslBundles> bundles, BeanFactory beans) {
		RedisConnectionFactory chosen = unique(qualified, true);
		LockStoreFactory other = elsewhere.getIfAvailable();
		String property = (other != null) ? other.property() : null;
		if (other != null && property != null) {
			if (chosen != null || StringUtils.hasText(properties.getUrl())) {
				throw new LockSetupException(
						"Distributed locks are told where they are kept by '%s', and of another Redis by %s".formatted(
								property,
								(chosen != null)
										? "a RedisConnectionFactory bean that is annotated with @LockConnectionFactory"
										: "'distributed-lock.url'"),
						"Leave out one of them", null);
			}
			return LockRedis.of(other, settings);
		}
		if (StringUtils.hasText(properties.getUrl())) {
			if (chosen != null) {
				throw new LockSetupException(
						"Distributed locks are told of two Redis: by 'distributed-lock.url', and by a "
								+ "RedisConnectionFactory bean that is annotated with @LockConnectionFactory",
						"Leave out one of them", null);
			}
			LockAddress address = LockAddress.of("distributed-lock.", properties.getUrl(), properties.getSslBundle(),
					bundles);
			return LockRedis.at(address);
		}
		if (StringUtils.hasText(properties.getSslBundle())) {
			throw new LockSetupException("Property 'distributed-lock.ssl-bundle' has no effect without an address",
					"Set 'distributed-lock.url', too, or set 'spring.data.redis.ssl.bundle' instead", null);
		}
		RedisConnectionFactory factory = (chosen != null) ? chosen : unique(factories, false);
		if (factory == null) {
			throw unusable("Distributed locks have no store: there is no RedisConnectionFactory bean",
					"Set 'spring.data.redis.*' so that Spring Boot defines one (its Redis auto-configuration must be on "
							+ "the class path and not be excluded)");
		}
		return of(factory, chosen != null, beans);
	}

	@Bean
	LockStore redisLockStore(LockRedis redis, LockSettings settings, ObjectProvider<ScriptPart> part) {
		ScriptPart added = part.getIfAvailable();
		return redis.store((added != null) ? settings.redis().withScriptPart(added) : settings.redis());
	}

	private static LockRedis of(RedisConnectionFactory factory, boolean chosen, BeanFactory beans) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return LockRedis.of(lettuce);
		}
		if (JEDIS && factory instanceof JedisConnectionFactory jedis) {
			// Properties say nothing about a factory that is for locks alone.
			return JedisRedis.of(jedis, () -> chosen ? null : RedisSslBundle.find(beans));
		}
		throw unusable(
				"Distributed locks cannot use the RedisConnectionFactory bean, which is a %s"
					.formatted(factory.getClass().getName()),
				"Define a LettuceConnectionFactory or a JedisConnectionFactory bean");
	}

	private static @Nullable RedisConnectionFactory unique(ObjectProvider<RedisConnectionFactory> factories,
			boolean annotated) {
		try {
			return factories.getIfAvailable();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			Collection<String> names = ex.getBeanNamesFound();
			String beans = "'" + String.join("', '", (names != null) ? names : List.of()) + "'";
			if (annotated) {
				throw new LockSetupException(
						"Distributed locks cannot tell which Redis is theirs: several RedisConnectionFactory beans (%s) are annotated "
							.formatted(beans) + "with @LockConnectionFactory",
						"Annotate one of them only", null);
			}
			throw unusable(
					"Distributed locks cannot tell which Redis is theirs: there are several RedisConnectionFactory beans "
							+ "(%s) and none is primary".formatted(beans),
					"Annotate one with @LockConnectionFactory, mark one as @Primary");
		}
	}

	static LockSetupException unusable(String problem, String remedy) {
		return noStore(problem,
				remedy + ", set 'distributed-lock.url' to the address of a Redis for locks, define a LockStore bean");
	}

}
