package io.lockstarter.interceptor;

import io.lockstarter.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * What a method does in place of a call whose key stayed busy.
 */
interface BusyPolicy {

	/**
	 * Return the result of the call.
	 * @param call the call
	 * @param busy why the method does not run
	 * @param failures whom to ask if the annotation leaves it open
	 * @return the result, of the type that the method returns or, where that is a future
	 * or publisher, the value itself
	 * @throws Throwable what the caller is to see
	 */
	@Nullable Object handle(LockCall call, LockNotAcquiredException busy, LockFailures failures) throws Throwable;

}
