// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LockInspector;
import io.lockstarter.actuate.LocksEndpoint;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} of the Actuator endpoint
 * {@code locks}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@ConditionalOnSingleCandidate(LockInspector.class)
@EnableConfigurationProperties({ ForceReleaseProperties.class, LocksEndpointProperties.class })
public final class LockEndpointAutoConfiguration {

	// A test may replace the registry, by a mock for example.
	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint locksEndpoint(ObjectProvider<LockInspector> inspector,
			ObjectProvider<SanitizingFunction> sanitizingFunctions, LocksEndpointProperties endpoint,
			ForceReleaseProperties properties, ApplicationEventPublisher audit) {
		return new LocksEndpoint(inspector::getObject, sanitizingFunctions.orderedStream().toList(),
				endpoint.showValues(), endpoint.roles(), properties.forceRelease(), audit);
	}

}
