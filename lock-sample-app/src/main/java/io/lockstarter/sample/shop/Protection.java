// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

/**
 * What keeps two buyers from getting the same item.
 */
public enum Protection {

	/**
	 * Nothing.
	 */
	NONE,

	/**
	 * A monitor of the JVM.
	 */
	SYNCHRONIZED,

	/**
	 * A single atomic command of Redis.
	 */
	COUNTER,

	/**
	 * A script that Redis runs atomically.
	 */
	SCRIPT,

	/**
	 * A distributed lock, and nothing else.
	 */
	LOCK_ONLY,

	/**
	 * A distributed lock around a transaction, which does not commit after the lock was
	 * lost.
	 */
	LOCK,

	/**
	 * A distributed lock, and a database that refuses who lost it.
	 */
	FENCE

}
