// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.lockstarter.LockRegistry;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.interceptor.LockServices;
import io.lockstarter.interceptor.SectionObserver;
import io.lockstarter.leader.LeaderElections;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * {@link LockServices} that are beans of a context. None is looked up before it is asked
 * for; those that each call asks for are looked up once.
 */
final class ContextLockServices implements LockServices {

	private static final String EXECUTOR_OF_BOOT = "applicationTaskExecutor";

	private final ListableBeanFactory beans;

	private final Environment environment;

	private volatile @Nullable LockRegistry registry;

	private volatile @Nullable LeaderElections elections;

	ContextLockServices(ListableBeanFactory beans, Environment environment) {
		this.beans = beans;
		this.environment = environment;
	}

	@Override
	public LockRegistry registry() {
		LockRegistry registry = this.registry;
		if (registry == null) {
			registry = this.beans.getBean(LockRegistry.class);
			this.registry = registry;
		}
		return registry;
	}

	@Override
	public LeaderElections elections() {
		LeaderElections elections = this.elections;
		if (elections == null) {
			elections = this.beans.getBean(LeaderElections.class);
			this.elections = elections;
		}
		return elections;
	}

	@Override
	public @Nullable LockFailureHandler failureHandler() {
		return this.beans.getBeanProvider(LockFailureHandler.class).getIfAvailable();
	}

	@Override
	public Executor executor() {
		String name = executorName();
		if (name != null) {
			return this.beans.getBean(name, Executor.class);
		}
		if (isExecutor(EXECUTOR_OF_BOOT)) {
			return this.beans.getBean(EXECUTOR_OF_BOOT, Executor.class);
		}
		return (task) -> {
			var unused = CompletableFuture.runAsync(task);
		};
	}

	private @Nullable String executorName() {
		return Binder.get(this.environment).bind("distributed-lock.executor", String.class).orElse(null);
	}

	private boolean isExecutor(String name) {
		return this.beans.containsBean(name) && this.beans.isTypeMatch(name, Executor.class);
	}

	@Override
	public SectionObserver sections() {
		return this.beans.getBeanProvider(SectionObserver.class)
			.orderedStream()
			.findFirst()
			.orElse(SectionObserver.NONE);
	}

	@Override
	public @Nullable Duration defaultTtl() {
		boolean ours = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beans, LockSettings.class, true,
				false).length > 0;
		return ours ? Binder.get(this.environment)
			.bind("distributed-lock.ttl", Duration.class)
			.orElseGet(() -> new LockProperties().getTtl()) : null;
	}

	@Override
	public String resolvePlaceholders(String text) {
		return this.environment.resolveRequiredPlaceholders(text);
	}

	@Override
	public void check() {
		String name = executorName();
		if (name != null && !isExecutor(name)) {
			throw new LockSetupException(
					"Property 'distributed-lock.executor' is '%s', but there is no Executor bean of that name"
						.formatted(name),
					"Define the bean, name another, or leave the property out for '" + EXECUTOR_OF_BOOT + "'", null);
		}
		if (this.beans.getBeanNamesForType(LockFailureHandler.class, true, false).length > 1) {
			requireOneHandler();
		}
	}

	private void requireOneHandler() {
		try {
			failureHandler();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			Collection<String> names = ex.getBeanNamesFound();
			throw new LockSetupException(
					"There are several LockFailureHandler beans ('%s') and none is primary"
						.formatted(String.join("', '", (names != null) ? names : List.of())),
					"Keep one of them, which may ask the others, or mark one as @Primary", ex);
		}
	}

}
