// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LockInspector;
import io.lockstarter.actuate.LegacyLockHealthIndicator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * {@link EnableAutoConfiguration Auto-configuration} of the health of distributed locks
 * on Spring Boot 3.5. Goes with the support of that version.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		beforeName = "org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration")
@ConditionalOnClass(name = LegacyLockHealthIndicator.HEALTH_INDICATOR)
@Conditional(LegacyLockHealthAutoConfiguration.Enabled.class)
@ConditionalOnSingleCandidate(LockInspector.class)
@ImportRuntimeHints(LegacyLockHealthIndicator.Hints.class)
public final class LegacyLockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "distributedLockHealthIndicator")
	static LegacyLockHealthIndicator distributedLockHealthIndicator(ObjectProvider<LockInspector> inspector)
			throws ReflectiveOperationException {
		return new LegacyLockHealthIndicator(inspector::getIfUnique);
	}

	/**
	 * What {@code ConditionalOnEnabledHealthIndicator} says, which has another name
	 * there.
	 */
	static final class Enabled implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Environment environment = context.getEnvironment();
			return environment.getProperty("management.health.distributed-lock.enabled", Boolean.class,
					environment.getProperty("management.health.defaults.enabled", Boolean.class, true));
		}

	}

}
