// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Utility methods for the release of the lock of a blocking method with the transaction
 * in which the method was called. Loaded only if there are transactions on the class
 * path: without them no lock outlives its method.
 *
 * @since 0.1
 */
public final class TransactionRelease {

	// What was to be released on another thread, which cannot: see DeferredRelease.
	private static final ThreadLocal<@Nullable Queue<Hold>> OWED = new ThreadLocal<>();

	private TransactionRelease() {
	}

	/**
	 * Check that the lock can be released when it should, before it is acquired.
	 * @throws IllegalStateException if it cannot
	 */
	public static void check(ReleasePhase phase) {
		Queue<Hold> owed = OWED.get();
		while (owed != null && !owed.isEmpty()) {
			DeferredRelease.release(owed.remove());
		}
		if (phase == ReleasePhase.AFTER_TRANSACTION && !isInTransaction()) {
			throw new IllegalStateException(
					"releasePhase = AFTER_TRANSACTION, but the call is not made in a transaction: "
							+ "use AUTO, also if the method is @Transactional itself, as its lock is around that transaction");
		}
	}

	/**
	 * See to it that the lock is released after the transaction, if there is one to wait
	 * for.
	 * @param hold what is to be released, held by the current thread
	 * @param scope its leases, all of which must be held when the transaction commits
	 * @return whether the release is taken care of
	 */
	public static boolean defer(ReleasePhase phase, Hold hold, LockScope scope) {
		if (phase == ReleasePhase.AFTER_METHOD || !isInTransaction()) {
			return false;
		}
		Queue<Hold> owed = OWED.get();
		if (owed == null) {
			owed = new ConcurrentLinkedQueue<>();
			OWED.set(owed);
		}
		TransactionSynchronizationManager.registerSynchronization(new DeferredRelease(hold, scope, owed));
		return true;
	}

	/**
	 * While callbacks run after the completion there still is a transaction by name, but
	 * nothing to wait for any more.
	 */
	private static boolean isInTransaction() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

}
