// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Advisor that applies {@link io.lockstarter.annotation.DistributedLock} and
 * {@link io.lockstarter.annotation.LeaderOnly} to the beans of a context. A bean whose
 * annotations cannot be used fails when it is about to be proxied.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class DistributedLockAdvisor extends StaticMethodMatcherPointcutAdvisor
		implements SmartInitializingSingleton {

	private final LockServices services;

	private final LockSpecSource specs;

	/**
	 * Create the advisor.
	 * @param services what the methods need of the application
	 * @param maxTtl the longest ttl that the store allows
	 * @param beans the beans of the application, none of which is created before a call
	 * needs it
	 * @param validation how to validate annotations
	 * @param order the order among the advisors of a bean
	 */
	public DistributedLockAdvisor(LockServices services, Duration maxTtl, ConfigurableBeanFactory beans,
			LockValidation validation, int order) {
		this.services = services;
		this.specs = new LockSpecSource(new LockSpecFactory(services, maxTtl, beans), validation);
		setClassFilter(this.specs);
		setAdvice(new DistributedLockInterceptor(this.specs, services, beans));
		setOrder(order);
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.services.check();
	}

	LockSpecSource specs() {
		return this.specs;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.specs.isLocked(method, targetClass);
	}

}
