// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Lets each transaction of a manager claim its rows when it has begun, before its first
 * statement.
 */
record FencedTransactions(LockFence fence,
		AbstractPlatformTransactionManager manager) implements TransactionExecutionListener {

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		if (failure == null && this.fence.isInUse() && transaction.isNewTransaction()
				&& transaction instanceof DefaultTransactionStatus begun
				&& begun.getTransaction() instanceof JdbcTransactionObjectSupport jdbc) {
			try {
				this.fence.begun(transaction, jdbc);
			}
			catch (RuntimeException | Error ex) {
				rollBack(begun, ex);
				throw ex;
			}
		}
	}

	/**
	 * Roll back what has begun, but do not resume what was suspended: whoever began it
	 * does, as after any beginning that failed. Twice would be one time too many.
	 */
	private void rollBack(DefaultTransactionStatus begun, Throwable failure) {
		DefaultTransactionStatus alone = new DefaultTransactionStatus(begun.getTransactionName(),
				begun.getTransaction(), true, begun.isNewSynchronization(), begun.isNested(), begun.isReadOnly(),
				begun.isDebug(), null);
		try {
			this.manager.rollback(alone);
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
		}
		begun.setCompleted();
	}

	// No code of the application runs between these and the end of the row's lock. Its
	// callbacks after the commit do, and they may begin transactions that have to claim.
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		this.fence.ended(transaction);
	}

	@Override
	public void beforeRollback(TransactionExecution transaction) {
		this.fence.ended(transaction);
	}

}
