// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures after how many seeds each bug is found, and prints a table.
 */
final class PlantTable {

	private final long seeds;

	private final int rounds;

	PlantTable(long seeds, int rounds) {
		this.seeds = seeds;
		this.rounds = rounds;
	}

	/**
	 * Print the table.
	 * @param words parts of names, one of which a bug has to have; none for all
	 * @return whether each bug is found, in the median
	 */
	boolean print(List<String> words) throws IOException {
		System.out.println("| planted bug | topology | seeds until found: median (least to most) | broken rule |");
		System.out.println("|---|---|---|---|");
		boolean found = true;
		for (Plant plant : Plant.all()) {
			if (words.isEmpty() || words.stream().anyMatch(plant.name()::contains)) {
				Row row = measure(plant);
				System.out.println(row.line());
				found &= row.isFound();
			}
		}
		return found;
	}

	private Row measure(Plant plant) throws IOException {
		long start = System.nanoTime();
		List<Long> counts = new ArrayList<>();
		Map<String, Integer> outcomes = new TreeMap<>();
		try (PlantedClasses classes = new PlantedClasses(plant)) {
			for (int round = 0; round < this.rounds && !isDecided(counts); round++) {
				counts.add(search(classes, 1 + round * this.seeds, outcomes));
			}
		}
		return new Row(plant, counts, outcomes, System.nanoTime() - start);
	}

	/**
	 * If most rounds found nothing, the others change nothing.
	 */
	private boolean isDecided(List<Long> counts) {
		return counts.stream().filter((count) -> count == Long.MAX_VALUE).count() > this.rounds / 2;
	}

	private long search(PlantedClasses classes, long first, Map<String, Integer> outcomes) {
		for (long seed = first; seed < first + this.seeds; seed++) {
			String outcome = classes.run(seed);
			if (outcome != null) {
				outcomes.merge(outcome, 1, Integer::sum);
				return seed - first + 1;
			}
		}
		return Long.MAX_VALUE;
	}

	static int run(List<String> options) throws IOException {
		long seeds = 10_000;
		int rounds = 5;
		List<String> words = new ArrayList<>();
		for (int i = 0; i < options.size(); i++) {
			switch (options.get(i)) {
				case "--seeds" -> seeds = Long.parseLong(options.get(++i));
				case "--rounds" -> rounds = Integer.parseInt(options.get(++i));
				default -> words.add(options.get(i));
			}
		}
		return new PlantTable(seeds, rounds).print(words) ? 0 : 1;
	}

	private record Row(Plant plant, List<Long> counts, Map<String, Integer> outcomes, long nanos) {

		boolean isFound() {
			return median() != Long.MAX_VALUE;
		}

		private long median() {
			long[] sorted = sorted();
			return sorted[sorted.length / 2];
		}

		private long[] sorted() {
			return this.counts.stream().mapToLong(Long::longValue).sorted().toArray();
		}

		String line() {
			long[] sorted = sorted();
			System.err.printf(Locale.ROOT, "%s: %.1f s %s%n", this.plant.name(), this.nanos / 1e9,
					Arrays.toString(sorted));
			return "| %s | %s | %s (%s to %s) | %s |".formatted(this.plant.name(),
					String.join(", ", this.plant.topologies().stream().map(Scenario::name).toList()), text(median()),
					text(sorted[0]), text(sorted[sorted.length - 1]), String.join(", ", this.outcomes.keySet()));
		}

		private static String text(long count) {
			return (count == Long.MAX_VALUE) ? "not found" : Long.toString(count);
		}

	}

}
