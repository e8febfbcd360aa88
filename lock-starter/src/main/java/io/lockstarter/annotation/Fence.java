// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

/**
 * Options for what refuses the late writes of a holder that was stopped for so long that
 * another one has its lock.
 *
 * @since 0.1
 */
public enum Fence {

	/**
	 * Nothing, unless the method passes its fencing token on itself.
	 */
	NONE,

	/**
	 * The database: each transaction that begins under the lock first claims a row of the
	 * key with its fencing token, and keeps it locked up to its end. If a newer holder
	 * was there before, the transaction is rolled back, and fails with
	 * {@link io.lockstarter.LockLostException}. Needs a {@code DataSource} with the table
	 * of {@code distributed-lock.fence.table}, and an exclusive lock. A call in which no
	 * transaction begins, or in one that began before it, fails with
	 * {@link IllegalStateException}.
	 */
	TRANSACTION

}
