// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;

/**
 * Deals out faults in random order: each of them comes before any comes again.
 *
 * @param <F> what can go wrong
 */
final class FaultBag<F> {

	private final List<F> all;

	private final Random random;

	private final Queue<F> left = new ArrayDeque<>();

	private int rounds;

	/**
	 * Create a bag.
	 * @param all the faults; one that is listed twice comes twice as often
	 * @param random what the order follows
	 */
	FaultBag(List<F> all, Random random) {
		this.all = all;
		this.random = random;
	}

	F next() {
		if (this.left.isEmpty()) {
			List<F> shuffled = new ArrayList<>(this.all);
			Collections.shuffle(shuffled, this.random);
			this.left.addAll(shuffled);
			this.rounds++;
		}
		return this.left.remove();
	}

	/**
	 * Put a fault back that could not happen.
	 */
	void putBack(F fault) {
		this.left.add(fault);
	}

	/**
	 * Return whether each of the faults was dealt out at least once, and not put back.
	 */
	boolean wasEmptied() {
		return this.rounds > 1 || (this.rounds == 1 && this.left.isEmpty());
	}

}
