// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;

import org.springframework.util.ClassUtils;

/**
 * Strategy for the release of the lock of a blocking method: with the method, or with the
 * transaction in which the method was called.
 *
 * @since 0.1
 */
public interface ReleaseStrategy {

	/**
	 * Without transactions on the class path: no lock outlives its method.
	 */
	ReleaseStrategy WITH_METHOD = (phase, hold, scope) -> false;

	static ReleaseStrategy ofClassPath() {
		return ClassUtils.isPresent("org.springframework.transaction.support.TransactionSynchronizationManager",
				ReleaseStrategy.class.getClassLoader()) ? new TransactionReleaseStrategy() : WITH_METHOD;
	}

	/**
	 * Check that the lock can be released when it should, before it is acquired.
	 * @throws IllegalStateException if it cannot
	 */
	default void check(ReleasePhase phase) {
	}

	/**
	 * See to it that the lock is released after the transaction, if there is one to wait
	 * for.
	 * @param hold what is to be released, held by the current thread
	 * @param scope its leases, all of which must be held when the transaction commits
	 * @return whether the release is taken care of
	 */
	boolean defer(ReleasePhase phase, Hold hold, LockScope scope);

}
