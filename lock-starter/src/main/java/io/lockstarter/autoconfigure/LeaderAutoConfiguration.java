// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.leader.LeaderElections;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} of {@link LeaderElections}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Conditional(LockEnabled.class)
@EnableConfigurationProperties(LockProperties.class)
public final class LeaderAutoConfiguration {

	// Needed when the first annotated bean is created, so it asks for nothing before it
	// starts. One for all contexts of an application: of two, either could lead, and the
	// methods of the other's context would not run.
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LeaderElections leaderElections(ObjectProvider<LockRegistry> registry,
			ObjectProvider<LockProperties> properties, Environment environment) {
		return new LeaderElections(registry::getObject, () -> options(properties.getObject(), environment));
	}

	@Bean
	@ConditionalOnMissingBean(name = "leaderEvents", search = SearchStrategy.CURRENT)
	LeaderEvents leaderEvents(ApplicationContext context) {
		return new LeaderEvents(context);
	}

	@Bean
	static LeaderBeans leaderBeans(LeaderElections elections, ObjectProvider<LockProperties> properties,
			ApplicationContext context) {
		return new LeaderBeans(elections, properties, context);
	}

	static boolean isInherited(ApplicationContext context) {
		return context.getBeanNamesForType(LeaderElections.class, true, false).length == 0;
	}

	static LockOptions options(LockProperties properties, Environment environment) {
		Duration ttl = properties.getLeader().getTtl();
		if (ttl == null) {
			return LockOptions.defaults();
		}
		Duration maxTtl = LockInterceptorAutoConfiguration.maxTtl(Binder.get(environment));
		if (ttl.compareTo(maxTtl) > 0) {
			throw new LockSetupException(
					"Property 'distributed-lock.leader.ttl' is '%s', but must not be longer than 'distributed-lock.quorum.max-ttl', which is '%s'"
						.formatted(DurationText.of(ttl), DurationText.of(maxTtl)),
					"Shorten it, or lengthen 'distributed-lock.quorum.max-ttl' in all instances", null);
		}
		try {
			return LockOptions.defaults().withTtl(ttl);
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException("Property 'distributed-lock.leader.ttl' cannot be used: " + ex.getMessage(),
					"Set another value, or leave it out for that of 'distributed-lock.ttl'", ex);
		}
	}

}
