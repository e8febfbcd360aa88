// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.LockScope;
import io.lockstarter.LockedAction;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods whose transactions a database is to refuse if they come too late. A bean
 * of this type is asked for only if an annotation has
 * {@link io.lockstarter.annotation.Fence#TRANSACTION}.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface TransactionFence {

	/**
	 * Run a method that has its lock.
	 * @param scope the leases of the method
	 * @param method the method
	 * @return what the method returns
	 * @throws Throwable what the method throws, a
	 * {@link io.lockstarter.LockLostException} if a newer holder was there before, or an
	 * {@link IllegalStateException} if nothing was fenced
	 */
	@Nullable Object call(LockScope scope, LockedAction<@Nullable Object, Throwable> method) throws Throwable;

}
