// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LockInspector;
import io.lockstarter.actuate.LegacyLockHealthIndicator;
import io.lockstarter.actuate.LockHealthIndicator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * {@link EnableAutoConfiguration Auto-configuration} of the health of distributed locks.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		beforeName = { "org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration",
				"org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration" })
@ConditionalOnSingleCandidate(LockInspector.class)
public final class LockHealthAutoConfiguration {

	// The inspector may be absent, as a test may replace the registry, by a mock for
	// example.
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(
			name = "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator")
	@ConditionalOnEnabledHealthIndicator("distributed-lock")
	static class Indicator {

		@Bean
		@ConditionalOnMissingBean(name = "distributedLockHealthIndicator")
		LockHealthIndicator distributedLockHealthIndicator(ObjectProvider<LockInspector> inspector) {
			return new LockHealthIndicator(inspector.getIfUnique());
		}

	}

	// What ConditionalOnEnabledHealthIndicator says, whose name in Spring Boot 3.5 is
	// another one.
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = LegacyLockHealthIndicator.HEALTH_INDICATOR)
	@ConditionalOnExpression("!{'false', 'off', 'no', '0'}.contains("
			+ "'${management.health.distributed-lock.enabled:${management.health.defaults.enabled:true}}'.toLowerCase())")
	@ImportRuntimeHints(LegacyLockHealthIndicator.Hints.class)
	static class LegacyIndicator {

		@Bean
		@ConditionalOnMissingBean(name = "distributedLockHealthIndicator")
		static LegacyLockHealthIndicator distributedLockHealthIndicator(ObjectProvider<LockInspector> inspector)
				throws ReflectiveOperationException {
			return new LegacyLockHealthIndicator(inspector::getIfUnique);
		}

	}

}
