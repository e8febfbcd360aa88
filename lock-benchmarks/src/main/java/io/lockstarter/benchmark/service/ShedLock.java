// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.service;

import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What a service has to say for ShedLock, which has no auto-configuration.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(LockProvider.class)
@EnableSchedulerLock(defaultLockAtMostFor = "30s")
class ShedLock {

	@Bean
	LockProvider lockProvider(RedisConnectionFactory connections) {
		return new RedisLockProvider(connections);
	}

}
