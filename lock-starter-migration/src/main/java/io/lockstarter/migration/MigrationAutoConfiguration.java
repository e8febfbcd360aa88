// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.migration;

import java.util.List;

import io.lockstarter.LockSetupException;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.redis.ScriptPart;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * {@link AutoConfiguration Auto-configuration} of a migration from other locks, where
 * {@code distributed-lock.migration} asks for one.
 *
 * @since 0.1
 */
// After it, which tells of properties that do not exist before these are bound.
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnBean(name = "distributedLockSettings", search = SearchStrategy.CURRENT)
@EnableConfigurationProperties(MigrationProperties.class)
public final class MigrationAutoConfiguration {

	private static final List<String> STORES = List.of("redisLockStore", "memoryLockStore");

	// Not where none are in Redis.
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ScriptPart oldLocks(MigrationProperties properties) {
		return properties.getMigration().isEmpty() ? ScriptPart.NONE : new OldLocks(properties.oldLocks());
	}

	// By names: a test may wrap the stores. In memory there are no old instances.
	@Bean
	SmartInitializingSingleton oldLocksCheck(MigrationProperties properties, ListableBeanFactory beans) {
		return () -> {
			if (!properties.getMigration().isEmpty() && STORES.stream().noneMatch(beans::containsBeanDefinition)) {
				throw new LockSetupException(
						"Property 'distributed-lock.migration' has no effect on a LockStore bean of the application: "
								+ "it would not exclude instances with the old locks",
						"Remove the property, or the LockStore bean", null);
			}
		};
	}

}
