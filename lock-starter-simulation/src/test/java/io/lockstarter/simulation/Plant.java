// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A planted bug that the simulation has to find.
 *
 * @param name its name in {@code mutations.txt} or {@code simulation.txt}
 * @param topologies where it can show
 * @param focus which locks show it
 */
record Plant(String name, List<Topology> topologies, Focus focus) {

	private static final Path LIST = Path.of("src/test/mutations/plants.txt");

	/**
	 * Read the list. Each line says the topologies, and perhaps a focus, then a colon,
	 * then the name; lines that begin with {@code #} are comments.
	 */
	static List<Plant> all() throws IOException {
		return Files.readAllLines(LIST)
			.stream()
			.filter((line) -> !line.isBlank() && !line.startsWith("#"))
			.map(Plant::of)
			.toList();
	}

	private static Plant of(String line) {
		int colon = line.indexOf(':');
		List<String> words = List.of(line.substring(0, colon).split(" ", -1));
		Focus focus = Arrays.stream(Focus.values())
			.filter((each) -> words.contains(Scenario.name(each)))
			.findFirst()
			.orElse(Focus.NONE);
		return new Plant(line.substring(colon + 1).strip(),
				words.stream()
					.filter((word) -> !word.equals(Scenario.name(focus)))
					.map((topology) -> Topology.valueOf(topology.toUpperCase(Locale.ROOT)))
					.toList(),
				focus);
	}

}
