// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * Invocation that proceeds asynchronously: any number of times, each time from where it
 * stands now, and on any thread.
 *
 * @since 0.1
 */
public final class RepeatableInvocation implements Proceeding {

	private final ProxyMethodInvocation here;

	/**
	 * Create a copy of an invocation, as far as it has come.
	 */
	public RepeatableInvocation(ProxyMethodInvocation invocation) {
		this.here = (ProxyMethodInvocation) invocation.invocableClone();
	}

	@Override
	public @Nullable Object proceed(@Nullable Object[] parameters) throws Throwable {
		MethodInvocation next = this.here.invocableClone(parameters.clone());
		// What follows may be an aspect that looks the invocation up by its thread.
		return ExposeInvocationInterceptor.INSTANCE.invoke(next);
	}

}
