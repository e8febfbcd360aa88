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
			throw NoLockStore.noConnectionFactory();
		}
		if (!(factory instanceof LettuceConnectionFactory lettuce)) {
			throw NoLockStore.notLettuce(factory.getClass());
		}
		if (lettuce.isClusterAware()) {
			throw NoLockStore.cluster();
		}
		return lettuce;
	}

	private static @Nullable RedisConnectionFactory unique(ObjectProvider<RedisConnectionFactory> factories) {
		try {
			return factories.getIfAvailable();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			Collection<String> names = ex.getBeanNamesFound();
			throw NoLockStore.ambiguous((names != null) ? names : List.of());
		}
	}

}
