// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The modules that bugs are planted in, and whose tests notice them.
 */
public final class Modules {

	private static final List<String> NAMES = List.of("lock-starter", "lock-starter-quorum", "lock-starter-migration",
			"lock-starter-simulation");

	private Modules() {
	}

	/**
	 * Return a file of the sources.
	 * @param file where it is, below {@code src/main} of its module
	 */
	static Path source(String file) {
		return find("src/main", file);
	}

	/**
	 * Return a class or a script, or a directory of these, that has no bug.
	 * @param file where it is, below {@code target/classes} of its module
	 */
	public static Path compiled(String file) {
		return find("target/classes", file);
	}

	/**
	 * Return the names of all files of sources, main and test.
	 */
	public static Set<String> namesOfSources() {
		return NAMES.stream().flatMap(Modules::sources).collect(Collectors.toSet());
	}

	private static Stream<String> sources(String module) {
		try (Stream<Path> files = Files.walk(Path.of("..", module, "src"))) {
			return files.map((file) -> String.valueOf(file.getFileName())).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path find(String directory, String file) {
		return NAMES.stream()
			.map((module) -> Path.of("..", module, directory, file))
			.filter(Files::exists)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No module has " + file));
	}

}
