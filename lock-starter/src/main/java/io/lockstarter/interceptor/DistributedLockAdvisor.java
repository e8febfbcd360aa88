// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.interceptor.async.AsyncExecutor;
import io.lockstarter.interceptor.key.KeyBeans;
import io.lockstarter.interceptor.transaction.ReleaseStrategy;
import io.lockstarter.leader.LeaderElections;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Advisor that applies {@link io.lockstarter.annotation.DistributedLock} and
 * {@link io.lockstarter.annotation.LeaderOnly} to the beans of a context. A bean whose
 * annotations cannot be used fails when it is about to be proxied.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class DistributedLockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private final LockSpecSource specs;

	/**
	 * Create the advisor.
	 * @param registry supplies the registry; called by the first call of an annotated
	 * method
	 * @param elections supplies the elections of leaders; called when a method that only
	 * leaders run is found
	 * @param handler supplies the handler of failed locks, if there is one; called when a
	 * lock failed
	 * @param executor supplies the executor on which asynchronous methods run when they
	 * have their lock; called by the first call of such a method
	 * @param sections supplies the observer of what methods do under their lock; called
	 * by the first call of an annotated method
	 * @param placeholders resolves <code>${…}</code> in a text, or throws
	 * {@link IllegalArgumentException}
	 * @param maxTtl the longest ttl that the store allows
	 * @param beans the beans of the application, none of which is created before a call
	 * needs it
	 * @param validation how to validate annotations
	 * @param order the order among the advisors of a bean
	 */
	public DistributedLockAdvisor(Supplier<? extends LockRegistry> registry, Supplier<LeaderElections> elections,
			Supplier<@Nullable LockFailureHandler> handler, Supplier<? extends Executor> executor,
			Supplier<SectionObserver> sections, UnaryOperator<String> placeholders, Duration maxTtl, BeanFactory beans,
			LockValidation validation, int order) {
		ReleaseStrategy releaseStrategy = ReleaseStrategy.ofClassPath();
		KeyBeans keyBeans = new KeyBeans(beans);
		LockSpecFactory factory = new LockSpecFactory(placeholders, maxTtl, keyBeans,
				releaseStrategy != ReleaseStrategy.WITH_METHOD, SingletonSupplier.of(registry),
				SingletonSupplier.of(elections));
		this.specs = new LockSpecSource(factory, validation);
		setClassFilter(this.specs::hasLockedMethods);
		setAdvice(new DistributedLockInterceptor(this.specs, new LockFailures(handler), releaseStrategy,
				new AsyncExecutor(executor, keyBeans.classLoader()), sections));
		setOrder(order);
	}

	LockSpecSource specs() {
		return this.specs;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.specs.isLocked(method, targetClass);
	}

}
