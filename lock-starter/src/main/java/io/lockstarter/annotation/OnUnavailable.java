// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

/**
 * Options for a call if the store rejects a command or does not answer.
 *
 * @since 0.1
 */
public enum OnUnavailable {

	/**
	 * Fail with {@link io.lockstarter.LockStoreException}.
	 */
	THROW,

	/**
	 * Run the method without the lock. <strong>This gives up mutual exclusion exactly
	 * when Redis is in trouble</strong>: every instance runs at the same time. For work
	 * that may happen twice but must not be left out. Each such call is logged as a
	 * warning.
	 */
	PROCEED

}
