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
package io.lockstarter.engine;

import java.util.concurrent.Executor;

/**
 * Time, and the threads that act on it. All that a test replaces to tick by hand.
 *
 * @param ticker the clock
 * @param deadlines acts on deadlines and timeouts; runs nothing that could block
 * @param watchdog renews leases, polls, and repeats unconfirmed releases
 * @param callbacks runs listeners, loss actions and what depends on futures; runs each
 * task once and throws nothing
 * @param threads begins and ends the threads
 */
record Timing(Ticker ticker, Scheduler deadlines, Scheduler watchdog, Executor callbacks, Threads threads) {

	long now() {
		return this.ticker.nanoTime();
	}

	/**
	 * The threads behind this.
	 */
	interface Threads {

		/**
		 * Start the threads, if they are not. Called before anything is changed whose end
		 * they are to see to.
		 * @throws OutOfMemoryError if a thread cannot be started
		 */
		default void start() {
		}

		/**
		 * End the watchdog at once, and the other threads at once or as soon as they have
		 * nothing left to watch.
		 * @param leasesLeft whether there is something left
		 */
		void end(boolean leasesLeft);

	}

}
