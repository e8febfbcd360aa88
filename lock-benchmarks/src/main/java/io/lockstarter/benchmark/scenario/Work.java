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
	HOLDING

}
