package io.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * Strategy for running a method under its lock. It depends on when the result of the
 * method is complete.
 */
interface LockExecution {

	/**
	 * Run a call under its lock.
	 * @param spec the specification of the lock
	 * @param call the call
	 * @return the result of the call
	 * @throws Throwable what the caller is to see
	 */
	@Nullable Object run(LockSpec spec, LockCall call) throws Throwable;

}
