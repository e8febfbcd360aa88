// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.interceptor.async.Proceeding;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Strategy for running a method under its lock. It depends on when the result of the
 * method is complete.
 */
interface LockExecution {

	@Nullable Object run(LockSpec spec, LockCall call) throws Throwable;

	/**
	 * Return what is inside all locks of an invocation: the method.
	 */
	default Proceeding method(MethodInvocation invocation) {
		return (arguments) -> invocation.proceed();
	}

}
