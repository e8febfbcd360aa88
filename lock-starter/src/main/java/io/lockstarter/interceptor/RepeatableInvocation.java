package io.lockstarter.interceptor;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * An invocation that goes on later: as often as it is asked to, each time from where it
 * stands now, and on any thread.
 */
final class RepeatableInvocation implements LockCall.Proceeding {

	private final ProxyMethodInvocation here;

	RepeatableInvocation(ProxyMethodInvocation invocation) {
		this.here = (ProxyMethodInvocation) invocation.invocableClone();
	}

	@Override
	public @Nullable Object proceed(@Nullable Object[] arguments) throws Throwable {
		MethodInvocation next = this.here.invocableClone(arguments.clone());
		// What follows may be an aspect that looks the invocation up by its thread.
		return ExposeInvocationInterceptor.INSTANCE.invoke(next);
	}

}
