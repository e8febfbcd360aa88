/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
