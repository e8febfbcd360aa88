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
	 * A distributed lock.
	 */
	LOCK,

	/**
	 * A distributed lock, and a database that refuses who lost it.
	 */
	FENCE

}
