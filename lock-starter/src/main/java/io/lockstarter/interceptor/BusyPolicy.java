// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Strategy for the result of a call whose key stayed busy.
 */
interface BusyPolicy {

	/**
	 * Return what the method returns or, where that is a future or publisher, the value
	 * itself.
	 */
	@Nullable Object handle(LockCall call, LockNotAcquiredException busy) throws Throwable;

}
