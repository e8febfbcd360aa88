// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import io.lockstarter.sample.shop.Protection;
import org.jspecify.annotations.Nullable;

/**
 * One buyer in one instance: waits, is in the section, has left. Written by the buyer's
 * thread, read by the one that publishes. All times are microseconds of the day's clock.
 */
final class Visit {

	private final String thread = Thread.currentThread().getName();

	private final Protection protection;

	private final long arrived = Micros.now();

	private volatile long entered;

	private volatile long left;

	private volatile @Nullable Long token;

	private volatile @Nullable Mishap mishap;

	private volatile @Nullable Outcome outcome;

	private volatile @Nullable String refusal;

	Visit(Protection protection) {
		this.protection = protection;
	}

	/**
	 * Begin the section, unless it has begun already.
	 */
	void enter(@Nullable Long token) {
		if (this.entered == 0) {
			this.token = token;
			this.entered = Micros.now();
		}
	}

	boolean holdsLock() {
		return this.token != null && this.left == 0;
	}

	/**
	 * Return how long the buyer waited; up to now or the end for one who never got in.
	 */
	long waited() {
		return ((this.entered > 0) ? this.entered : Micros.now()) - this.arrived;
	}

	void leave() {
		this.left = Micros.now();
	}

	void befall(Mishap mishap) {
		this.mishap = mishap;
	}

	/**
	 * Remember who refused what this buyer has written, and why.
	 */
	void refuse(String refusal) {
		this.refusal = refusal;
	}

	void end(Outcome outcome) {
		this.outcome = outcome;
	}

	Snapshot snapshot() {
		return new Snapshot(this.thread, this.protection, this.arrived, this.entered, this.left, this.token,
				this.mishap, this.outcome, this.refusal);
	}

	/**
	 * A visit as the page gets it.
	 *
	 * @param thread the thread that serves the buyer
	 * @param protection what the shop protects itself with
	 * @param arrived when the buyer came
	 * @param entered when the section began; zero while the buyer waits
	 * @param left when the section ended; zero before
	 * @param token the fencing token, with a lock
	 * @param mishap what befell the holder
	 * @param outcome how it ended
	 * @param refusal why the purchase was refused, if it was
	 */
	record Snapshot(String thread, Protection protection, long arrived, long entered, long left, @Nullable Long token,
			@Nullable Mishap mishap, @Nullable Outcome outcome, @Nullable String refusal) {
	}

}
