// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

/**
 * Whether a lock is held by one holder or by several.
 *
 * @since 0.1
 */
public enum LockMode {

	/**
	 * Nobody else holds the key: the write lock of a read/write lock, and the default.
	 */
	EXCLUSIVE,

	/**
	 * Others may hold the key in this mode, too, and nobody holds it exclusively: the
	 * read lock of a read/write lock.
	 */
	SHARED

}
