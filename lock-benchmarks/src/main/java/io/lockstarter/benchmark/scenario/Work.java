// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.scenario;

/**
 * What the JVMs of a scenario do with their locks.
 */
public enum Work {

	/**
	 * Every thread acquires and releases, over and over.
	 */
	CYCLES,

	/**
	 * Every thread acquires and releases one of five permits, over and over.
	 */
	PERMITS,

	/**
	 * Every thread acquires and releases a read lock, over and over.
	 */
	READS,

	/**
	 * Every thread acquires and releases a read lock, and one time in twenty the write
	 * lock, over and over.
	 */
	READS_AND_WRITES,

	/**
	 * One thread writes, and all others wait to read at once, over and over.
	 */
	WAITING_TO_READ,

	/**
	 * All threads but one read over and over, and the other one waits to write.
	 */
	READING_WITHOUT_END,

	/**
	 * One thread holds the lock all the time, the others wait for it.
	 */
	WAITING,

	/**
	 * Two JVMs pass the lock to and fro.
	 */
	PING_PONG,

	/**
	 * One thread holds many locks.
	 */
	HOLDING,

	/**
	 * Every thread acquires and releases, for minutes, in little memory.
	 */
	SOAK,

	/**
	 * Different keys are locked, each once.
	 */
	KEYS_ONCE,

	/**
	 * Keys that somebody else holds are tried once.
	 */
	REFUSED,

	/**
	 * Locks are asked for without a thread, and given up.
	 */
	CANCELLED,

	/**
	 * Services start at once on one core, and each takes a lock.
	 */
	COLD_START,

	/**
	 * A service starts, with lock-starter and without.
	 */
	START_UP;

	/**
	 * Return whether it ends when a number of times is reached, and not with the time.
	 * @return whether to count
	 */
	public boolean isCounted() {
		return this == KEYS_ONCE || this == REFUSED || this == CANCELLED;
	}

}
