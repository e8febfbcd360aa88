// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

/**
 * Enumeration of the points at which the release of a lease is complete for the thread
 * that closes it.
 *
 * @since 0.1
 */
public enum ReleaseMode {

	/**
	 * When the store has confirmed the release, or the command timeout has passed.
	 */
	CONFIRMED,

	/**
	 * At once. The answer of the store is reported to the {@link LockListener listeners}
	 * only, if the release fails. Over the same connection the next acquirer of the key
	 * comes after it.
	 */
	ASYNC

}
