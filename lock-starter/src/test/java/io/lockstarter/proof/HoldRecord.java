package io.lockstarter.proof;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Who held a key from when to when, by their own account. Thread-safe.
 */
final class HoldRecord {

	private final List<Hold> holds = new ArrayList<>();

	synchronized void add(long begin, long lastValid, long token) {
		this.holds.add(new Hold(begin, lastValid, token));
	}

	synchronized int size() {
		return this.holds.size();
	}

	/**
	 * Return what should not have been.
	 * @return pairs of holds that overlap, or whose tokens do not grow
	 */
	synchronized List<String> violations() {
		this.holds.sort(Comparator.comparingLong(Hold::begin));
		List<String> violations = new ArrayList<>();
		for (int i = 1; i < this.holds.size(); i++) {
			Hold before = this.holds.get(i - 1);
			Hold after = this.holds.get(i);
			if (after.begin() < before.lastValid() || after.token() <= before.token()) {
				violations.add("%d %s, %s".formatted(i, before, after));
			}
		}
		return violations;
	}

	private record Hold(long begin, long lastValid, long token) {
	}

}
