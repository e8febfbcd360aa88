package io.lockstarter.interceptor;

import io.lockstarter.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Strategy for the result of a call whose key stayed busy.
 */
interface BusyPolicy {

	/**
	 * Return the result of the call.
	 * @param call the call
	 * @param busy why the method does not run
	 * @param failures handles failures if the annotation does not say how
	 * @return the result, of the type that the method returns or, where that is a future
	 * or publisher, the value itself
	 * @throws Throwable what the caller is to see
	 */
	@Nullable Object handle(LockCall call, LockNotAcquiredException busy, LockFailures failures) throws Throwable;

}
