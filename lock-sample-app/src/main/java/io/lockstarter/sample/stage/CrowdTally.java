// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts what the buyers of one crowd met with. Thread-safe.
 */
final class CrowdTally {

	private final CrowdRequest request;

	private final int instances;

	private final long started = System.nanoTime();

	private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);

	private final Set<Mishap> mishaps = EnumSet.noneOf(Mishap.class);

	private final long[] waits;

	private int answers;

	private int lost;

	private long lastSale = this.started;

	CrowdTally(CrowdRequest request, int instances) {
		this.request = request;
		this.instances = instances;
		this.waits = new long[request.buyers()];
	}

	synchronized void count(PurchaseDesk.Receipt receipt) {
		this.outcomes.merge(receipt.outcome(), 1, Integer::sum);
		this.waits[this.answers++] = receipt.waitedMicros();
		if (receipt.outcome() == Outcome.SOLD) {
			this.lastSale = System.nanoTime();
		}
	}

	/**
	 * Count a buyer who got no answer.
	 */
	synchronized void countLost() {
		this.lost++;
	}

	/**
	 * Remember what befell somebody who held the lock.
	 */
	synchronized void befell(Mishap mishap) {
		this.mishaps.add(mishap);
	}

	synchronized CrowdReport report() {
		int sold = count(Outcome.SOLD);
		double seconds = (this.lastSale - this.started) / 1e9;
		return new CrowdReport(0, this.request, this.instances, this.answers + this.lost, sold, 0,
				count(Outcome.REFUSED), count(Outcome.COMMIT_REFUSED),
				this.lost + count(Outcome.BUSY) + count(Outcome.FAILED), Set.copyOf(this.mishaps),
				(seconds > 0) ? sold / seconds : 0, p99());
	}

	private int count(Outcome outcome) {
		return this.outcomes.getOrDefault(outcome, 0);
	}

	private long p99() {
		if (this.answers == 0) {
			return 0;
		}
		long[] sorted = Arrays.copyOf(this.waits, this.answers);
		Arrays.sort(sorted);
		return sorted[(int) Math.ceil(this.answers * 0.99) - 1];
	}

}
