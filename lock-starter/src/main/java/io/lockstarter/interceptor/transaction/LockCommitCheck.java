// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import io.lockstarter.LockScope;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transaction listener that refuses to commit under a lost lock: right before the commit,
 * a transaction that was begun under a lock, or under which a lock was taken, is rolled
 * back with {@link io.lockstarter.LockLostException} if the lease was lost meanwhile.
 * Does no I/O. Works in every {@code PlatformTransactionManager} that it is a listener
 * of.
 *
 * @since 0.1
 */
public record LockCommitCheck() implements TransactionExecutionListener {

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LockScope.checkAll();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
				if (each instanceof DeferredRelease deferred) {
					deferred.check();
				}
			}
		}
	}

}
