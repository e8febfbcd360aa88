package io.lockstarter.engine;

import java.util.concurrent.Executor;

/**
 * Time, and the threads that act on it. All that a test replaces to tick by hand.
 *
 * @param ticker the clock
 * @param deadlines acts on deadlines and timeouts; runs nothing that could block
 * @param watchdog renews leases, polls, and repeats unconfirmed releases
 * @param events runs listeners
 * @param async completes the futures of asynchronous acquirers
 * @param threads ends the threads
 */
record Timing(Ticker ticker, Scheduler deadlines, Scheduler watchdog, Executor events, Executor async,
		Threads threads) {

	long now() {
		return this.ticker.nanoTime();
	}

	interface Threads {

		/**
		 * End the watchdog at once, and the other threads at once or as soon as they have
		 * nothing left to watch.
		 * @param leasesLeft whether there is something left
		 */
		void end(boolean leasesLeft);

	}

}
