// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LockListener;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.InstanceId;
import io.lockstarter.LockMonitor;
import io.lockstarter.store.LockStore;
import io.lockstarter.memory.MemoryLockStore;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindingPostProcessor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} of the {@link LockRegistry} and its store.
 *
 * @since 0.1
 */
@AutoConfiguration(afterName = { "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
		"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" })
@Conditional(LockEnabled.class)
@ConditionalOnMissingBean(LockRegistry.class)
@EnableConfigurationProperties(LockProperties.class)
@Import(RedisStoreConfiguration.class)
public final class LockAutoConfiguration {

	@Bean
	LockSettings distributedLockSettings(ObjectProvider<LockProperties> provider, Environment environment,
			BeanFactory beans) {
		// First of all: properties that are created too early stay unbound.
		checkBound(beans);
		LockProperties properties = provider.getObject();
		LockPropertyNames.check(environment, properties.getValidation());
		return LockSettings.of(properties);
	}

	@Bean
	@ConditionalOnMissingBean(name = "loggingLockListener", search = SearchStrategy.CURRENT)
	LoggingLockListener loggingLockListener() {
		return new LoggingLockListener();
	}

	@Bean
	@ConditionalOnMissingBean(name = "lockEventPublisher", search = SearchStrategy.CURRENT)
	LockEventPublisher lockEventPublisher(ApplicationEventPublisher events) {
		return new LockEventPublisher(events);
	}

	@Bean
	@ConditionalOnBooleanProperty("distributed-lock.publish-all-events")
	@ConditionalOnMissingBean(name = "frequentLockEventPublisher", search = SearchStrategy.CURRENT)
	LockListener frequentLockEventPublisher(ApplicationEventPublisher events) {
		return new FrequentLockEventPublisher(events);
	}

	@Bean(destroyMethod = "stop")
	DefaultLockRegistry distributedLockRegistry(LockSettings settings, ObjectProvider<LockStore> store,
			ObjectProvider<LockMonitor> monitors, ListableBeanFactory beans, Environment environment) {
		String instanceId = InstanceId.create(environment.getProperty("spring.application.name"));
		LockStore opened = store.getIfAvailable();
		if (opened == null) {
			throw noStore("Distributed locks have no store: Spring Data Redis with Lettuce is not on the class path",
					"Add spring-boot-starter-data-redis, define a LockStore bean");
		}
		return new DefaultLockRegistry(instanceId, opened, settings.registry(), new LockListeners(beans).all(),
				monitors.orderedStream().toList());
	}

	// A test may replace the registry, by a mock for example.
	@Bean
	LockRegistryLifecycle distributedLockRegistryLifecycle(ObjectProvider<DefaultLockRegistry> registry,
			LockStore store, LockSettings settings) {
		return new LockRegistryLifecycle(registry.getIfAvailable(), store, settings.registry());
	}

	/**
	 * Check that properties were bound: those of whoever is created too early are all
	 * defaults, and not only ours.
	 */
	private static void checkBound(BeanFactory beans) {
		if (beans instanceof AbstractBeanFactory factory && !bindsProperties(factory)) {
			throw new LockSetupException(
					"The LockRegistry is asked for before Spring Boot binds properties, so that all of them would "
							+ "have their defaults",
					"A BeanFactoryPostProcessor, or a BeanPostProcessor that is PriorityOrdered, must not have it injected: "
							+ "make the @Bean method that defines it static, or let it ask an ObjectProvider<LockRegistry> later",
					null);
		}
	}

	private static boolean bindsProperties(AbstractBeanFactory beans) {
		for (BeanPostProcessor each : beans.getBeanPostProcessors()) {
			if (each instanceof ConfigurationPropertiesBindingPostProcessor) {
				return true;
			}
		}
		return false;
	}

	static LockSetupException noStore(String problem, String remedy) {
		return new LockSetupException(problem,
				remedy + ", or set 'distributed-lock.store=memory' for locks within this JVM only", null);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "memory")
	@ConditionalOnMissingBean(LockStore.class)
	static class MemoryStoreConfiguration {

		@Bean
		MemoryLockStore memoryLockStore() {
			return new MemoryLockStore();
		}

	}

}
