// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.Objects;

import io.lockstarter.interceptor.async.Proceeding;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Runs an annotated method under the locks of its annotations, the first one outermost.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockSpecSource specs;

	private final LockServices services;

	private final ConfigurableBeanFactory beans;

	// Made by the first call: an application starts without them.
	private volatile @Nullable LockExecutions executions;

	DistributedLockInterceptor(LockSpecSource specs, LockServices services, ConfigurableBeanFactory beans) {
		this.specs = specs;
		this.services = services;
		this.beans = beans;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis(), "An annotated method needs a target object");
		List<LockSpec> specs = this.specs.find(invocation.getMethod(), target.getClass());
		if (specs.isEmpty()) {
			return invocation.proceed();
		}
		LockExecution execution = executions().of(specs.get(0).subject());
		Proceeding method = execution.method(invocation);
		for (int i = specs.size() - 1; i > 0; i--) {
			LockSpec inner = specs.get(i);
			Proceeding next = method;
			method = (arguments) -> execution.run(inner, new LockCall(invocation, target, arguments, next));
		}
		return execution.run(specs.get(0), new LockCall(invocation, target, invocation.getArguments(), method));
	}

	private LockExecutions executions() {
		LockExecutions executions = this.executions;
		if (executions == null) {
			synchronized (this) {
				executions = this.executions;
				if (executions == null) {
					executions = new LockExecutions(this.services, this.beans.getBeanClassLoader());
					this.executions = executions;
				}
			}
		}
		return executions;
	}

}
