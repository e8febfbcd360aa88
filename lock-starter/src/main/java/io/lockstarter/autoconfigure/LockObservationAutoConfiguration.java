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
	LeaseContext lockObservationContext(LockObservations observations) {
		return observations::runFor;
	}

}
