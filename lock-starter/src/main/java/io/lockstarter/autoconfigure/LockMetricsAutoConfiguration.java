// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.leader.LeaderElections;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * {@link AutoConfiguration Auto-configuration} of metrics of locks, if there is a
 * {@link MeterRegistry}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = { "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@Conditional(LockEnabled.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnBean(DefaultLockRegistry.class)
public final class LockMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMetrics lockMetrics(MeterRegistry meters) {
		return new LockMetrics(meters);
	}

	// A test may replace the registry, by a mock for example.
	@Bean
	@ConditionalOnMissingBean(name = "lockGauges")
	SmartInitializingSingleton lockGauges(LockMetrics metrics, ObjectProvider<DefaultLockRegistry> locks,
			ObjectProvider<LeaderElections> elections) {
		return () -> {
			locks.ifUnique(metrics::bindTo);
			elections.ifUnique((leaders) -> leaders.forEach(metrics::bindTo));
		};
	}

}
