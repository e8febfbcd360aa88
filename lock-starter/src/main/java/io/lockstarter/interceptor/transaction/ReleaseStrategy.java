package io.lockstarter.interceptor.transaction;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;

import org.springframework.util.ClassUtils;

/**
 * Strategy for the release of the lock of a blocking method: with the method, or with the
 * transaction in which the method was called.
 */
public interface ReleaseStrategy {

	/**
	 * Nothing outlives its method.
	 */
	ReleaseStrategy WITHOUT_TRANSACTIONS = (phase, lock, scope) -> false;

	/**
	 * Return what fits the class path.
	 * @return release times that know of transactions if Spring's are there
	 */
	static ReleaseStrategy ofClassPath() {
		return ClassUtils.isPresent("org.springframework.transaction.support.TransactionSynchronizationManager",
				ReleaseStrategy.class.getClassLoader()) ? new TransactionReleaseStrategy() : WITHOUT_TRANSACTIONS;
	}

	/**
	 * Check that the lock can be released when it should, before it is acquired.
	 * @param phase when it should
	 * @throws IllegalStateException if it cannot
	 */
	default void check(ReleasePhase phase) {
		if (phase == ReleasePhase.AFTER_TRANSACTION) {
			throw new IllegalStateException(
					"There are no transactions, as spring-tx is not on the class path: use release = AUTO");
		}
	}

	/**
	 * See to it that the lock is released after the transaction, if there is one to wait
	 * for.
	 * @param phase when to release
	 * @param lock the lock, held by the current thread
	 * @param scope its leases, all of which must be held when the transaction commits
	 * @return whether the release is taken care of
	 */
	boolean defer(ReleasePhase phase, LeasedLock lock, LockScope scope);

}
