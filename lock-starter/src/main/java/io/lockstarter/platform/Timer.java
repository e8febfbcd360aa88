// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.platform;

/**
 * A clock, and a thread that acts on it: tasks run one after the other, and must not
 * block. If it is not started, its thread begins with the first task and ends when it is
 * idle.
 */
public interface Timer extends Ticker {

	/**
	 * Run a task once. If this throws, as the JVM has no thread or no memory left, the
	 * task never runs.
	 * @param task the task
	 * @param delay nanoseconds from now
	 * @return takes the task back, if it did not run yet
	 */
	Runnable schedule(Runnable task, long delay);

	/**
	 * Run a task again and again, whatever it throws. Once this is called and the timer
	 * is started, it needs no thread any more, nor memory.
	 * @param task the task
	 * @param pause nanoseconds before each time
	 * @return ends it
	 */
	Runnable repeat(Runnable task, long pause);

	/**
	 * Start the thread, if it is not, and keep it: from now on a task cannot fail for
	 * want of one.
	 * @throws OutOfMemoryError if it cannot be started
	 */
	default void start() {
	}

	/**
	 * End the thread as soon as it has nothing left to do.
	 */
	default void endWhenIdle() {
	}

	/**
	 * End the thread. What is scheduled, or will be, does not run.
	 */
	default void end() {
	}

}
