// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.interceptor.LockServices;
import io.lockstarter.interceptor.SectionObserver;
import io.lockstarter.leader.LeaderElections;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.StandardEnvironment;

/**
 * {@link LockServices} of an application that has a registry and nothing else.
 */
public class PlainLockServices implements LockServices {

	private final LockRegistry registry;

	private final LeaderElections elections;

	public PlainLockServices(LockRegistry registry) {
		this.registry = registry;
		this.elections = new LeaderElections(() -> registry, LockOptions::defaults);
	}

	@Override
	public LockRegistry registry() {
		return this.registry;
	}

	@Override
	public LeaderElections elections() {
		return this.elections;
	}

	@Override
	public @Nullable LockFailureHandler failureHandler() {
		return null;
	}

	@Override
	public Executor executor() {
		return Runnable::run;
	}

	@Override
	public SectionObserver sections() {
		return SectionObserver.NONE;
	}

	@Override
	public Duration defaultTtl() {
		return Duration.ofSeconds(30);
	}

	@Override
	public String resolvePlaceholders(String text) {
		return new StandardEnvironment().resolveRequiredPlaceholders(text);
	}

	@Override
	public void check() {
	}

}
