// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.platform;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * All that is not determined: clocks, random numbers and threads. Who is given another
 * platform than that of the system runs as this one says, for example on one thread and
 * in the time of a simulation. Not for applications.
 * <p>
 * Only those who call and wait are not part of it: their threads are the application's.
 */
public interface Platform extends Ticker {

	/**
	 * Return the platform that the JVM is.
	 * @return the same one for all
	 */
	static Platform system() {
		return SystemPlatform.INSTANCE;
	}

	/**
	 * Return the time of day, which is for people and for the first fencing token.
	 * Nothing waits by it.
	 * @return the time of day
	 */
	Instant now();

	/**
	 * Return random numbers, so that not all instances do the same at the same time.
	 * @return the random numbers, for the calling thread
	 */
	RandomGenerator random();

	/**
	 * Return random numbers that another process does not have, nor a copy of this one.
	 * @return the random numbers
	 */
	RandomGenerator secureRandom();

	/**
	 * Create a timer with a thread of its own.
	 * @param thread the name of the thread
	 * @return a timer that is not started
	 */
	Timer timer(String thread);

	/**
	 * Create threads for what others wrote, which may block.
	 * @param thread the name of the threads
	 * @param timer looks whether more of them are needed
	 * @return threads that are not started
	 */
	Workers workers(String thread, Timer timer);

	/**
	 * Create a thread that runs one task after the other, and ends when it is idle.
	 * @param thread the name of the thread
	 * @param capacity how many tasks may wait; those that follow are rejected
	 * @return what executes tasks on the thread
	 */
	Executor queue(String thread, int capacity);

	/**
	 * Return the timer of all messages that are not written at once.
	 * @return the timer, the same one each time
	 */
	Timer logTimer();

	/**
	 * Run a short task that does not block, soon and on another thread: whoever calls
	 * this may hold what the task needs.
	 * @param task the task
	 */
	void execute(Runnable task);

	/**
	 * Let the calling thread wait until a future is complete, normally or not.
	 * @param future the future
	 * @param nanos for how long at most, in nanoseconds
	 * @return whether it is complete
	 * @throws InterruptedException if the thread is interrupted
	 */
	boolean await(CompletableFuture<?> future, long nanos) throws InterruptedException;

}
