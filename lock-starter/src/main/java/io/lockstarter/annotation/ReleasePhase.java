// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

/**
 * Phases in which the lock of a method can be released.
 *
 * @since 0.1
 */
public enum ReleasePhase {

	/**
	 * When the method has ended, or when the transaction has completed in which it was
	 * called. In either case the next holder sees what the method wrote.
	 */
	AUTO,

	/**
	 * When the method has ended, even if the transaction in which it was called goes on.
	 * The next holder may then not see what this one wrote.
	 */
	AFTER_METHOD,

	/**
	 * When the transaction has completed in which the method was called. A call without a
	 * transaction fails with {@link IllegalStateException}, before any I/O.
	 */
	AFTER_TRANSACTION

}
