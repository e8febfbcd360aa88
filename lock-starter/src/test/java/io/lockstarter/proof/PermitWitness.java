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
 * Counts how many permits were held at a time, from what each holder wrote to a file: up
 * to when it held one, and when it gave it back. Instants are {@link System#nanoTime()},
 * which is one clock for all JVMs of a Linux machine.
 *
 * @param files one for each JVM
 */
record PermitWitness(List<Path> files) {

	/**
	 * Return how many permits there were.
	 */
	int count() {
		return holds().size();
	}

	/**
	 * Return how many were within their deadlines at the same time, at most.
	 */
	int mostAtOnce() {
		return mostOf(holds());
	}

	/**
	 * Return the same for a slot.
	 */
	int mostAtOnce(String slot) {
		return mostOf(holds().stream().filter((hold) -> hold.slot.equals(slot)).toList());
	}

	/**
	 * Return whether a slot was granted after an instant.
	 */
	boolean isGrantedAfter(String slot, long instant) {
		return holds().stream().anyMatch((hold) -> hold.slot.equals(slot) && hold.since > instant);
	}

	private static int mostOf(Collection<Hold> holds) {
		List<Change> changes = new ArrayList<>();
		holds.forEach((hold) -> {
			changes.add(new Change(hold.since, 1));
			changes.add(new Change(hold.until, -1));
		});
		// Whoever ends at an instant does not hold then.
		changes.sort(Comparator.comparingLong(Change::at).thenComparing(Change::by));
		int held = 0;
		int most = 0;
		for (Change change : changes) {
			held += change.by;
			most = Math.max(most, held);
		}
		return most;
	}

	private Collection<Hold> holds() {
		Map<String, Hold> holds = new LinkedHashMap<>();
		for (Path file : this.files) {
			WrittenLines.of(file).forEach((line) -> {
				String[] told = line.split(" ", -1);
				if (told[0].equals("H")) {
					Hold hold = new Hold(told[2], Long.parseLong(told[1]), Long.parseLong(told[4]));
					holds.merge(told[2] + " " + told[3], hold, Hold::prolonged);
				}
				else {
					holds.computeIfPresent(told[1] + " " + told[2], (id, hold) -> hold.ended(Long.parseLong(told[3])));
				}
			});
		}
		return holds.values();
	}

	private record Hold(String slot, long since, long until) {

		Hold prolonged(Hold later) {
			return new Hold(this.slot, this.since, Math.max(this.until, later.until));
		}

		Hold ended(long at) {
			return new Hold(this.slot, this.since, Math.min(this.until, at));
		}

	}

	private record Change(long at, int by) {

	}

}
