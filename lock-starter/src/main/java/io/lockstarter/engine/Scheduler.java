package io.lockstarter.engine;

/**
 * Runs tasks later, on one thread, one after the other.
 */
interface Scheduler {

	/**
	 * Run a task once.
	 * @param task what to run
	 * @param delay nanoseconds from now
	 * @return takes the task back, if it did not run yet
	 */
	Runnable schedule(Runnable task, long delay);

}
