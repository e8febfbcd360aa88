// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.List;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.leader.LeaderElections;
import io.lockstarter.leader.LeadershipListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;

/**
 * {@link AutoConfiguration Auto-configuration} of {@link LeaderElections}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Conditional(LockEnabled.class)
@EnableConfigurationProperties(LeaderProperties.class)
public final class LeaderAutoConfiguration {

	// Needed when the first annotated bean is created, so it asks for nothing before it
	// starts.
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderElections leaderElections(ObjectProvider<LockRegistry> registry,
			ObjectProvider<LeaderProperties> properties) {
		return new LeaderElections(registry::getObject, () -> options(properties.getObject()));
	}

	@Bean
	LeaderEvents leaderEvents(ApplicationEventPublisher events) {
		return new LeaderEvents(events);
	}

	// Asks for the properties when they are bound for sure, whoever asks for this.
	@Bean
	static SmartInitializingSingleton leaderRoles(LeaderElections elections,
			ObjectProvider<LeaderProperties> properties, ObjectProvider<LeaderElection> beans,
			ObjectProvider<LeadershipListener> listeners) {
		return () -> {
			LeaderProperties bound = properties.getObject();
			options(bound);
			List<LeadershipListener> all = listeners.orderedStream().toList();
			elections.forEach((election) -> all.forEach(election::addListener));
			beans.stream().forEach(elections::add);
			for (String role : bound.getRoles()) {
				if (role.isBlank()) {
					throw new LockSetupException("Property 'distributed-lock.leader.roles' has a role that is blank",
							"Say what the leader does, as in 'reports'", null);
				}
				elections.addRole(role);
			}
		};
	}

	private static LockOptions options(LeaderProperties properties) {
		try {
			return LockOptions.defaults().withTtl(properties.getTtl());
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException("Property 'distributed-lock.leader.ttl' cannot be used: " + ex.getMessage(),
					"Set another value, or leave it out for that of 'distributed-lock.ttl'", ex);
		}
	}

}
