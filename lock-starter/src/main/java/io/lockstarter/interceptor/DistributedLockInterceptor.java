// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.lockstarter.interceptor.async.Proceeding;
import io.lockstarter.interceptor.async.RepeatableInvocation;
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

	// Made by the first call: an application starts without them.
	private final Supplier<LockExecutions> executions;

	DistributedLockInterceptor(LockSpecSource specs, Supplier<LockExecutions> executions) {
		this.specs = specs;
		this.executions = SingletonSupplier.of(executions);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis(), "An annotated method needs a target object");
		List<LockSpec> specs = this.specs.find(invocation.getMethod(), target.getClass());
		if (specs.isEmpty()) {
			return invocation.proceed();
		}
		LockExecution execution = this.executions.get().of(specs.get(0).subject());
		Proceeding method = (!(execution instanceof BlockingLockExecution)
				&& invocation instanceof ProxyMethodInvocation proxied) ? new RepeatableInvocation(proxied)
						: (arguments) -> invocation.proceed();
		for (int i = specs.size() - 1; i > 0; i--) {
			LockSpec inner = specs.get(i);
			Proceeding next = method;
			method = (arguments) -> execution.run(inner, new LockCall(invocation, target, arguments, next));
		}
		return execution.run(specs.get(0), new LockCall(invocation, target, invocation.getArguments(), method));
	}

}
