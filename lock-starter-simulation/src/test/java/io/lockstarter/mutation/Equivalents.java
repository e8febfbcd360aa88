// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The mutants that the simulation cannot notice, and why: nobody can, or they are in
 * classes that are no matter of a simulation.
 */
record Equivalents(Map<String, String> reasons) {

	static final Path LIST = Path.of("src/test/mutations/equivalents.txt");

	// compilers number them differently
	private static final Pattern LAMBDA = Pattern.compile("(lambda\\$\\w+)\\$\\d+");

	/**
	 * Read the list. Each line has the id of a mutant, without the number of a lambda, or
	 * how the ids of all mutants of a class begin, with {@code *} for the rest; a colon;
	 * and the reason. Lines that begin with {@code #} are comments.
	 */
	static Equivalents read() throws IOException {
		Map<String, String> reasons = new LinkedHashMap<>();
		for (String line : Files.readAllLines(LIST)) {
			if (!line.isBlank() && !line.startsWith("#")) {
				String[] parts = line.split(": ", 2);
				if (parts.length < 2 || parts[1].isBlank()) {
					throw new IllegalStateException("Without a reason: " + line);
				}
				if (reasons.put(parts[0], parts[1]) != null) {
					throw new IllegalStateException("Twice: " + line);
				}
			}
		}
		return new Equivalents(reasons);
	}

	/**
	 * Return whether the list names a mutant.
	 */
	boolean contain(GeneratedMutant mutant) {
		return this.reasons.keySet().stream().anyMatch((named) -> isNamed(mutant.id(), named));
	}

	/**
	 * Return whether an entry of the list names the id of a mutant.
	 */
	static boolean isNamed(String id, String named) {
		return named.endsWith("*") ? id.startsWith(named.substring(0, named.length() - 1))
				: LAMBDA.matcher(id).replaceFirst("$1").equals(named);
	}

}
