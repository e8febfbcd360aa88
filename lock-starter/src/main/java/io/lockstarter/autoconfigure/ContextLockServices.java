// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.concurrent.Executor;

import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.interceptor.LockServices;
import io.lockstarter.interceptor.SectionObserver;
import io.lockstarter.leader.LeaderElections;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;

/**
 * {@link LockServices} that are beans of a context. None is looked up before it is asked
 * for; those that each call asks for are looked up once.
 */
final class ContextLockServices implements LockServices {

	private final BeanFactory beans;

	private final Environment environment;

	private volatile @Nullable LockRegistry registry;

	private volatile @Nullable LeaderElections elections;

	ContextLockServices(BeanFactory beans, Environment environment) {
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
		return LockExecutor.find(this.beans, this.environment);
	}

	@Override
	public SectionObserver sections() {
		return this.beans.getBeanProvider(SectionObserver.class)
			.orderedStream()
			.findFirst()
			.orElse(SectionObserver.NONE);
	}

	@Override
	public String resolvePlaceholders(String text) {
		return this.environment.resolveRequiredPlaceholders(text);
	}

}
