// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * {@link ReleaseStrategy} that releases locks with the transactions of Spring.
 */
final class TransactionReleaseStrategy implements ReleaseStrategy {

	// What was to be released on another thread, which cannot: see DeferredRelease.
	private static final ThreadLocal<@Nullable Queue<Hold>> OWED = new ThreadLocal<>();

	@Override
	public void check(ReleasePhase phase) {
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

	@Override
	public boolean defer(ReleasePhase phase, Hold hold, LockScope scope) {
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
