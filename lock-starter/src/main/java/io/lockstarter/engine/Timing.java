// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.engine;

import java.util.random.RandomGenerator;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;

/**
 * The platform of an engine, and its threads. Deadlines have one of their own, so that a
 * stuck renewal cannot delay the report of a loss. Listeners and what depends on futures
 * run on others, as what is not ours may block.
 * <p>
 * The threads are started before the first key is asked for, and kept until the registry
 * is stopped: a task that needs no new thread cannot fail for want of one.
 *
 * @param deadlines acts on deadlines and timeouts
 * @param watchdog renews leases, polls, and repeats unconfirmed releases
 * @param callbacks runs listeners, loss actions and what depends on futures
 */
record Timing(Platform platform, Timer deadlines, Timer watchdog, Workers callbacks) {

	/**
	 * Return the threads of another engine, which are not started yet.
	 */
	static Timing of(Platform platform) {
		Timer deadlines = platform.timer("lock-starter-deadlines");
		return new Timing(platform, deadlines, platform.timer("lock-starter-watchdog"),
				platform.workers("lock-starter-callbacks", deadlines));
	}

	long now() {
		return this.platform.nanoTime();
	}

	RandomGenerator random() {
		return this.platform.random();
	}

	/**
	 * Start the threads, if they are not. Called before anything is changed whose end
	 * they are to see to.
	 * @throws OutOfMemoryError if a thread cannot be started
	 */
	void start() {
		this.deadlines.start();
		this.watchdog.start();
		this.callbacks.start();
	}

	/**
	 * End the watchdog at once, and the other threads at once or as soon as they have
	 * nothing left to watch.
	 * @param leasesLeft whether there is something left
	 */
	void end(boolean leasesLeft) {
		this.watchdog.end();
		if (leasesLeft) {
			this.deadlines.endWhenIdle();
		}
		else {
			this.deadlines.end();
		}
		this.callbacks.endWhenIdle();
	}

}
