/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
