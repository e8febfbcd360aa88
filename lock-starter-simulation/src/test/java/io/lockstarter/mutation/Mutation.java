// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A bug to plant in one file. Lines are compared without the white space around them.
 *
 * @param name what is wrong then
 * @param file the file, below {@code src/main}
 * @param tests the test classes that should notice, below {@code io.lockstarter}
 * @param before lines that follow each other in the file, in one place only
 * @param after what to put there instead
 */
record Mutation(String name, String file, List<String> tests, List<String> before, List<String> after) {

	/**
	 * Where the list is.
	 */
	static final Path LIST = Path.of("src/test/mutations/mutations.txt");

	/**
	 * Read a list. Each entry begins with a line {@code = name}, and says then:
	 * {@code file:}, {@code tests:}, lines that begin with {@code -} and are replaced by
	 * those that begin with {@code +}. Lines that begin with {@code #} are comments.
	 * @param path the file with the list
	 * @return its mutations
	 */
	static List<Mutation> read(Path path) throws IOException {
		List<Mutation> mutations = new ArrayList<>();
		List<String> entry = new ArrayList<>();
		for (String line : Files.readAllLines(path)) {
			if (line.startsWith("=") && !entry.isEmpty()) {
				mutations.add(of(entry));
				entry.clear();
			}
			if (!line.isBlank() && !line.startsWith("#")) {
				entry.add(line);
			}
		}
		mutations.add(of(entry));
		return mutations;
	}

	/**
	 * Plant the bug.
	 * @param source the content of the file
	 * @return the content with the bug in it
	 * @throws IllegalStateException if the lines to replace are not there, or not once
	 */
	String applyTo(String source) {
		List<String> lines = source.lines().toList();
		List<Integer> places = IntStream.rangeClosed(0, lines.size() - this.before.size())
			.filter((from) -> matches(lines.subList(from, from + this.before.size())))
			.boxed()
			.toList();
		if (places.size() != 1) {
			throw new IllegalStateException("'%s' does not apply to %s: its lines occur %d times".formatted(this.name,
					this.file, places.size()));
		}
		List<String> mutated = new ArrayList<>(lines.subList(0, places.get(0)));
		mutated.addAll(this.after);
		mutated.addAll(lines.subList(places.get(0) + this.before.size(), lines.size()));
		return String.join("\n", mutated) + "\n";
	}

	boolean isJava() {
		return this.file.endsWith(".java");
	}

	private boolean matches(List<String> lines) {
		return lines.stream().map(String::strip).toList().equals(this.before);
	}

	private static Mutation of(List<String> entry) {
		return new Mutation(only(entry, "="), only(entry, "file:"), List.of(only(entry, "tests:").split(" +", -1)),
				all(entry, "-"), all(entry, "+"));
	}

	private static String only(List<String> entry, String start) {
		List<String> found = all(entry, start);
		if (found.size() != 1) {
			throw new IllegalStateException("Needs one line '%s': %s".formatted(start, entry));
		}
		return found.get(0);
	}

	private static List<String> all(List<String> entry, String start) {
		return entry.stream()
			.filter((line) -> line.startsWith(start))
			.map((line) -> line.substring(start.length()).strip())
			.toList();
	}

}
