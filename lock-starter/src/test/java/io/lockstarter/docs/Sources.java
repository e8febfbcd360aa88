// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files that the pages are compared with: those of both jars.
 */
final class Sources {

	private Sources() {
	}

	/**
	 * Return all Java files below a directory of each jar, one after the other.
	 * @param directory its path in a module
	 * @param edit what to do with each file
	 */
	static String java(String directory, UnaryOperator<String> edit) {
		return Stream.of("lock-starter", "lock-starter-quorum", "lock-starter-migration", "lock-starter-test")
			.map((module) -> Path.of("..", module, directory))
			.filter(Files::isDirectory)
			.flatMap((path) -> files(path).stream())
			.filter((file) -> file.toString().endsWith(".java"))
			.map((file) -> edit.apply(read(file)))
			.collect(Collectors.joining("\n"));
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<Path> files(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
