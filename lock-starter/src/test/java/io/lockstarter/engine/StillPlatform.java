// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;

/**
 * Time that does not pass. What is scheduled never comes, and callbacks run at once: an
 * engine has no thread but those of the test.
 */
class StillPlatform extends ForwardingPlatform implements Timer {

	@Override
	public long nanoTime() {
		return 0;
	}

	@Override
	public Timer timer(String thread) {
		return this;
	}

	@Override
	public Runnable repeat(Runnable task, long pause) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Runnable schedule(Runnable task, long delay) {
		return StillPlatform::doNothing;
	}

	@Override
	public Workers workers(String thread, Timer timer) {
		return Runnable::run;
	}

	private static void doNothing() {
	}

}
