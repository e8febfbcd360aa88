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
package io.lockstarter.autoconfigure;

import java.util.Collection;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lockstarter.engine.LockStore;
import io.lockstarter.redis.RedisLockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lockstarter.autoconfigure.LockAutoConfiguration.noStore;

/**
 * Configuration of locks in the Redis of the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ RedisClient.class, LettuceConnectionFactory.class })
@ConditionalOnMissingBean(LockStore.class)
class RedisStoreConfiguration {

	@Bean
	RedisLockStore redisLockStore(LockSettings settings, ObjectProvider<RedisConnectionFactory> factories) {
		return new RedisLockStore(lettuce(factories), settings.redis());
	}

	private static LettuceConnectionFactory lettuce(ObjectProvider<RedisConnectionFactory> factories) {
		RedisConnectionFactory factory = unique(factories);
		if (factory == null) {
			throw noStore("Distributed locks have no store: there is no RedisConnectionFactory bean",
					"Set 'spring.data.redis.*' so that Spring Boot defines one (its Redis auto-configuration must be on "
							+ "the class path and not be excluded), define a LettuceConnectionFactory bean");
		}
		if (!(factory instanceof LettuceConnectionFactory lettuce)) {
			throw noStore(
					"Distributed locks need Lettuce: the RedisConnectionFactory bean is a "
							+ factory.getClass().getName(),
					"Define a LettuceConnectionFactory bean (with spring-boot-starter-data-redis: leave out Jedis, or "
							+ "set 'spring.data.redis.client-type=lettuce')");
		}
		if (lettuce.isClusterAware()) {
			throw noStore("Distributed locks cannot live in a Redis Cluster",
					"Define a LockStore bean with a LettuceConnectionFactory for a single Redis or for Sentinel");
		}
		return lettuce;
	}

	private static @Nullable RedisConnectionFactory unique(ObjectProvider<RedisConnectionFactory> factories) {
		try {
			return factories.getIfAvailable();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			Collection<String> names = ex.getBeanNamesFound();
			throw noStore(
					"Distributed locks cannot tell which Redis is theirs: there are several RedisConnectionFactory beans "
							+ "('" + String.join("', '", (names != null) ? names : List.of())
							+ "') and none is primary",
					"Mark one as @Primary, define a LockStore bean with the one to use");
		}
	}

}
