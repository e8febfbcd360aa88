// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LockInspector;
import io.lockstarter.actuate.LockHealthIndicator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} of the health of distributed locks.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass(
		name = "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator")
@ConditionalOnEnabledHealthIndicator("distributed-lock")
@ConditionalOnSingleCandidate(LockInspector.class)
public final class LockHealthAutoConfiguration {

	// The inspector may be absent, as a test may replace the registry, by a mock for
	// example.
	@Bean
	@ConditionalOnMissingBean(name = "distributedLockHealthIndicator")
	LockHealthIndicator distributedLockHealthIndicator(ObjectProvider<LockInspector> inspector) {
		return new LockHealthIndicator(inspector.getIfUnique());
	}

}
