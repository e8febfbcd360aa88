// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lockstarter.interceptor.async.AsyncExecutor;
import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.async.Proceeding;
import io.lockstarter.interceptor.async.RepeatableInvocation;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.interceptor.transaction.ReleaseStrategy;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs an annotated method under the locks of its annotations, the first one outermost.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockSpecSource specs;

	private final LockExecution blocking;

	private final AsyncLockExecution.Support async;

	private final Map<AnnotatedMethod, LockExecution> executions = new ConcurrentHashMap<>();

	DistributedLockInterceptor(LockSpecSource specs, LockFailures failures, ReleaseStrategy releaseStrategy,
			AsyncExecutor executor, Supplier<SectionObserver> sections) {
		this.specs = specs;
		Supplier<SectionObserver> observers = SingletonSupplier.of(sections);
		this.blocking = new BlockingLockExecution(failures, releaseStrategy, observers);
		this.async = new AsyncLockExecution.Support(failures, executor, observers);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis(), "An annotated method needs a target object");
		List<LockSpec> specs = this.specs.find(invocation.getMethod(), target.getClass());
		if (specs.isEmpty()) {
			return invocation.proceed();
		}
		LockExecution execution = executionOf(specs.get(0).subject());
		Proceeding method = (execution != this.blocking && invocation instanceof ProxyMethodInvocation proxied)
				? new RepeatableInvocation(proxied) : (arguments) -> invocation.proceed();
		for (int i = specs.size() - 1; i > 0; i--) {
			LockSpec inner = specs.get(i);
			Proceeding next = method;
			method = (arguments) -> execution.run(inner, new LockCall(invocation, target, arguments, next));
		}
		return execution.run(specs.get(0), new LockCall(invocation, target, invocation.getArguments(), method));
	}

	private LockExecution executionOf(AnnotatedMethod subject) {
		LockExecution execution = this.executions.get(subject);
		return (execution != null) ? execution : this.executions.computeIfAbsent(subject, this::choose);
	}

	private LockExecution choose(AnnotatedMethod subject) {
		return switch (AsyncMethods.kindOf(subject)) {
			case BLOCKING -> this.blocking;
			case FUTURE -> new FutureLockExecution(this.async, AsyncMethods.hasThreadOfItsOwn(subject));
			case REACTIVE -> new ReactiveLockExecution(this.async, subject);
		};
	}

}
