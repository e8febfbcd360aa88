// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.function.LongSupplier;

/**
 * A clock that a test moves.
 */
final class PlantedClock implements Clock {

	private final LongSupplier now;

	long behind;

	long runsSince;

	/**
	 * Create a clock.
	 * @param now tells the time of the world
	 */
	PlantedClock(LongSupplier now) {
		this.now = now;
	}

	@Override
	public long nanoTime() {
		return this.now.getAsLong() - this.behind;
	}

	@Override
	public long worldTime(long instant) {
		return instant + this.behind;
	}

	@Override
	public long runsSince() {
		return this.runsSince;
	}

}
