// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The mutants that nobody can notice, and why.
 */
final class Equivalents {

	static final Path LIST = Path.of("src/test/mutations/equivalents.txt");

	private Equivalents() {
	}

	/**
	 * Read the list. Each line has the id of a mutant, a colon, and the reason; lines
	 * that begin with {@code #} are comments.
	 * @return the reasons by ids
	 */
	static Map<String, String> read() throws IOException {
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
		return reasons;
	}

}
