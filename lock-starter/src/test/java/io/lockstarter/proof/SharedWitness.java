// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges whether a read/write lock was one, from what each holder wrote to a file: how
 * and up to when it held it, and when it gave it back. Instants are
 * {@link System#nanoTime()}, which is one clock for all JVMs of a Linux machine.
 *
 * @param files one for each JVM
 */
record SharedWitness(List<Path> files) {

	/**
	 * Return how often the lock was held.
	 */
	int count() {
		return holds().size();
	}

	/**
	 * Return whether the lock was held in some way after an instant.
	 */
	boolean isHeldAfter(How how, long instant) {
		return holds().stream().anyMatch((hold) -> hold.how == how && hold.since > instant);
	}

	/**
	 * Return what must not be: whoever writes while somebody else is within his deadline,
	 * tokens of writers that are not larger than all before, and tokens of readers that
	 * are not larger than those of all writers before.
	 */
	List<String> breaches() {
		List<String> breaches = new ArrayList<>();
		long lastToken = Long.MIN_VALUE;
		long lastTokenOfAWriter = Long.MIN_VALUE;
		List<Hold> current = new ArrayList<>();
		for (Hold hold : inOrder()) {
			current.removeIf((other) -> other.until <= hold.since);
			for (Hold other : current) {
				if (hold.writes() || other.writes()) {
					breaches.add(hold + " overlaps " + other);
				}
			}
			current.add(hold);
			long before = hold.writes() ? lastToken : lastTokenOfAWriter;
			if (hold.how == How.READS_ON ? hold.token < before : hold.token <= before) {
				breaches.add("%s has a token that is not larger than %d".formatted(hold, before));
			}
			lastToken = Math.max(lastToken, hold.token);
			lastTokenOfAWriter = hold.writes() ? lastToken : lastTokenOfAWriter;
		}
		return breaches;
	}

	/**
	 * Return how many began to read while another JVM did.
	 */
	long readsBesideAnotherJvm() {
		List<Hold> current = new ArrayList<>();
		long count = 0;
		for (Hold hold : inOrder()) {
			current.removeIf((other) -> other.until <= hold.since);
			if (!hold.writes() && current.stream().anyMatch((other) -> !other.writes() && other.jvm != hold.jvm)) {
				count++;
			}
			current.add(hold);
		}
		return count;
	}

	private List<Hold> inOrder() {
		return holds().stream().sorted(Comparator.comparingLong(Hold::since)).toList();
	}

	private Collection<Hold> holds() {
		Map<String, Hold> holds = new LinkedHashMap<>();
		for (int i = 0; i < this.files.size(); i++) {
			int jvm = i;
			WrittenLines.of(this.files.get(i)).forEach((line) -> {
				String[] told = line.split(" ", -1);
				String id = jvm + " " + told[1];
				if (told[0].equals("H")) {
					Hold hold = new Hold(jvm, How.valueOf(told[3]), Long.parseLong(told[4]), Long.parseLong(told[2]),
							Long.parseLong(told[5]));
					holds.merge(id, hold, Hold::prolonged);
				}
				else {
					holds.computeIfPresent(id, (same, hold) -> hold.ended(Long.parseLong(told[2])));
				}
			});
		}
		return holds.values();
	}

	/**
	 * How a lock is held.
	 */
	enum How {

		/** Together with others. */
		READS,
		/** Alone. */
		WRITES,
		/** Together with others, after it wrote, with the token of that. */
		READS_ON

	}

	private record Hold(int jvm, How how, long token, long since, long until) {

		boolean writes() {
			return this.how == How.WRITES;
		}

		Hold prolonged(Hold later) {
			return new Hold(this.jvm, this.how, this.token, this.since, Math.max(this.until, later.until));
		}

		Hold ended(long at) {
			return new Hold(this.jvm, this.how, this.token, this.since, Math.min(this.until, at));
		}

	}

}
