package io.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * How a method runs under its lock, which depends on when its result is complete.
 */
interface CallStyle {

	/**
	 * Run a call under its lock.
	 * @param spec what the annotation says
	 * @param call the call
	 * @return the result of the call
	 * @throws Throwable what the caller is to see
	 */
	@Nullable Object run(LockSpec spec, LockCall call) throws Throwable;

	/**
	 * Return whether the method runs when the interceptor has returned already, and maybe
	 * more than once.
	 * @return whether a call goes on later
	 */
	default boolean runsLater() {
		return false;
	}

}
