package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.lockstarter.interceptor.async.AsyncExecutor;
import io.lockstarter.interceptor.key.KeyBeans;
import io.lockstarter.interceptor.transaction.ReleaseStrategy;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.LockFailureHandler;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;

/**
 * Applies {@link io.lockstarter.annotation.DistributedLock} to the beans of a context. A
 * bean whose annotations cannot work fails when it is about to be proxied.
 */
public final class DistributedLockAdvisor implements PointcutAdvisor, Ordered {

	private final Pointcut pointcut;

	private final Advice advice;

	private final int order;

	/**
	 * Create the advisor.
	 * @param registry gives the registry; asked at the first call of an annotated method
	 * @param handler gives the handler of failed locks, if there is one; asked when a
	 * lock failed
	 * @param executor gives the executor on which asynchronous methods run when they
	 * have their lock; asked at the first call of such a method
	 * @param placeholders resolves <code>${…}</code> in a text, or throws
	 * {@link IllegalArgumentException}
	 * @param beans the beans of the application, none of which is created before a call
	 * needs it
	 * @param validation when mistakes in annotations are found
	 * @param order the order among the advisors of a bean
	 */
	public DistributedLockAdvisor(Supplier<? extends LockRegistry> registry,
			Supplier<@Nullable LockFailureHandler> handler, Supplier<? extends Executor> executor,
			UnaryOperator<String> placeholders, BeanFactory beans, LockValidation validation, int order) {
		ReleaseStrategy releaseStrategy = ReleaseStrategy.ofClassPath();
		KeyBeans keyBeans = new KeyBeans(beans);
		LockSpecFactory factory = new LockSpecFactory(placeholders, keyBeans,
				releaseStrategy != ReleaseStrategy.WITHOUT_TRANSACTIONS);
		LockSpecSource specs = new LockSpecSource(factory, new ProxyCheck(beans), validation);
		this.pointcut = new LockedMethods(specs);
		this.advice = new DistributedLockInterceptor(specs, registry, new LockFailures(handler), releaseStrategy,
				new AsyncExecutor(executor, keyBeans.classLoader()));
		this.order = order;
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	private static final class LockedMethods extends StaticMethodMatcher implements Pointcut {

		private final LockSpecSource specs;

		LockedMethods(LockSpecSource specs) {
			this.specs = specs;
		}

		@Override
		public ClassFilter getClassFilter() {
			return this.specs::hasLockedMethods;
		}

		@Override
		public MethodMatcher getMethodMatcher() {
			return this;
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.specs.isLocked(method, targetClass);
		}

	}

}
