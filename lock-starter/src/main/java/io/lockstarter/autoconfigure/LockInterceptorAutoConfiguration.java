// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.lockstarter.LockOptions;
import io.lockstarter.interceptor.DistributedLockAdvisor;
import io.lockstarter.interceptor.LockValidation;
import io.lockstarter.interceptor.LockedBeans;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link AutoConfiguration Auto-configuration} that runs methods annotated with
 * {@link io.lockstarter.annotation.DistributedLock} under their lock, those with
 * {@link io.lockstarter.annotation.DistributedPermit} with a permit, and those with
 * {@link io.lockstarter.annotation.LeaderOnly} in the leader.
 *
 * @since 0.1
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Conditional(LockEnabled.class)
@Import(LockInterceptorAutoConfiguration.AutoProxyCreator.class)
public final class LockInterceptorAutoConfiguration {

	// The default of the jar that has the property.
	private static final Duration QUORUM_MAX_TTL = Duration.ofMinutes(1);

	// Needed before other beans are created, so it neither asks for the registry (and
	// with it the Redis connection factory) nor for the properties bean.
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static DistributedLockAdvisor distributedLockAdvisor(ConfigurableListableBeanFactory beans,
			Environment environment) {
		Binder binder = Binder.get(environment);
		int order = binder.bind("distributed-lock.order", Integer.class).orElse(LockProperties.DEFAULT_ORDER);
		return new DistributedLockAdvisor(new ContextLockServices(beans, environment), maxTtl(binder), beans,
				validation(binder), order);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockedBeans lockedBeans(DistributedLockAdvisor advisor, ConfigurableListableBeanFactory beans) {
		return new LockedBeans(advisor, beans, new LockEnabled());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnClass(name = "jakarta.validation.Validator")
	static BeanPostProcessor lockValidationFirst() {
		return new ValidationFirst();
	}

	/**
	 * Return the longest ttl that the store allows, as properties say, before there is a
	 * store.
	 */
	static Duration maxTtl(Binder binder) {
		Map<String, Object> quorum = binder.bind("distributed-lock.quorum", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		if (!quorum.containsKey("nodes")) {
			return LockOptions.MAX_DURATION;
		}
		return binder.bind("distributed-lock.quorum.max-ttl", Duration.class).orElse(QUORUM_MAX_TTL);
	}

	private static LockValidation validation(Binder binder) {
		// Ahead of time, properties may be missing that are set where the application
		// will run. There it is validated when it starts.
		if (SpringProperties.getFlag(AbstractAotProcessor.AOT_PROCESSING)) {
			return LockValidation.OFF;
		}
		return binder.bind("distributed-lock.validation", LockValidation.class).orElse(LockValidation.FAIL);
	}

	/**
	 * Sees to it that advisors are applied even if {@code spring.aop.auto} is false:
	 * without it annotated methods would silently run without their lock.
	 */
	static final class AutoProxyCreator implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		AutoProxyCreator(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
