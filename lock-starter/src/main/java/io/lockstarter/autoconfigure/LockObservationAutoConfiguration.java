// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.observe.LockObservations;
import io.lockstarter.observe.LockSectionObservationConvention;
import io.lockstarter.observe.LockWaitObservationConvention;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} of observations of locks, if there is an
 * {@link ObservationRegistry}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = { "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration" })
@Conditional(LockEnabled.class)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
public final class LockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservations lockObservations(ObservationRegistry observations,
			ObjectProvider<LockWaitObservationConvention> wait,
			ObjectProvider<LockSectionObservationConvention> section, Environment environment) {
		boolean showKeys = environment.getProperty("distributed-lock.observe-keys", Boolean.class, false);
		return new LockObservations(observations, wait.getIfAvailable(), section.getIfAvailable(), showKeys);
	}

	@Bean
	@ConditionalOnMissingBean
	LeaseContext lockObservationContext(LockObservations observations) {
		return observations::runFor;
	}

}
