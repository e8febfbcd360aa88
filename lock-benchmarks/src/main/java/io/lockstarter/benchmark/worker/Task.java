// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import io.lockstarter.benchmark.scenario.Schedule;

/**
 * What one JVM does in a measurement.
 */
interface Task {

	/**
	 * Do what comes before the start.
	 * @throws InterruptedException if interrupted
	 */
	void prepare() throws InterruptedException;

	/**
	 * Start the work; returns early if it runs on threads of its own.
	 * @param schedule when to start and end
	 * @throws InterruptedException if interrupted
	 */
	void start(Schedule schedule) throws InterruptedException;

	/**
	 * End the work, when its time is over.
	 * @param result what to add the result to
	 * @throws InterruptedException if interrupted
	 */
	void end(Result result) throws InterruptedException;

}
