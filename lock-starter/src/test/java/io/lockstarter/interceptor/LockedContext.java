// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.testkit.PlainLockServices;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;

/**
 * A context with the advisor and nothing else that is not asked for.
 */
final class LockedContext implements AutoCloseable {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private LockedContext(LockRegistry registry, boolean classProxies, Map<String, Object> properties) {
		this(registry, () -> null, classProxies, properties);
	}

	private LockedContext(LockRegistry registry, Supplier<@Nullable LockFailureHandler> handler, boolean classProxies,
			Map<String, Object> properties) {
		this(registry, handler, Runnable::run, classProxies, properties);
	}

	private LockedContext(LockRegistry registry, Supplier<@Nullable LockFailureHandler> handler, Executor executor,
			boolean classProxies, Map<String, Object> properties) {
		this.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(this.context);
		if (classProxies) {
			AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(this.context);
		}
		this.context.registerBean(DistributedLockAdvisor.class,
				() -> new DistributedLockAdvisor(new PlainLockServices(registry) {

					@Override
					public @Nullable LockFailureHandler failureHandler() {
						return handler.get();
					}

					@Override
					public Executor executor() {
						return executor;
					}

					@Override
					public String resolvePlaceholders(String text) {
						return LockedContext.this.context.getEnvironment().resolveRequiredPlaceholders(text);
					}

				}, LockOptions.MAX_DURATION, this.context.getBeanFactory(),
						this.context.getEnvironment()
							.getProperty("distributed-lock.validation", LockValidation.class, LockValidation.FAIL),
						Ordered.LOWEST_PRECEDENCE - 1000),
				(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
		this.context.registerBean(LockedBeans.class,
				() -> new LockedBeans(this.context.getBean(DistributedLockAdvisor.class), this.context.getBeanFactory(),
						(environment) -> true));
	}

	static LockedContext withClassProxies(LockRegistry registry, Class<?>... beans) {
		return new LockedContext(registry, true, Map.of()).refresh(beans);
	}

	static LockedContext withInterfaceProxies(LockRegistry registry, Class<?>... beans) {
		return new LockedContext(registry, false, Map.of()).refresh(beans);
	}

	static LockedContext withHandler(LockRegistry registry, Supplier<@Nullable LockFailureHandler> handler,
			Class<?>... beans) {
		return new LockedContext(registry, handler, true, Map.of()).refresh(beans);
	}

	static LockedContext withExecutor(LockRegistry registry, Executor executor, Class<?>... beans) {
		return new LockedContext(registry, () -> null, executor, true, Map.of()).refresh(beans);
	}

	static LockedContext withProperties(LockRegistry registry, Map<String, Object> properties, Class<?>... beans) {
		return new LockedContext(registry, true, properties).refresh(beans);
	}

	private LockedContext refresh(Class<?>... beans) {
		this.context.register(beans);
		this.context.refresh();
		return this;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
