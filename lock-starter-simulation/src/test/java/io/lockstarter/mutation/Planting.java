// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.tools.ToolProvider;

/**
 * Puts the file of a {@link Mutation}, with its bug, where a class path may begin.
 */
public final class Planting {

	static final Path SIMULATION = Path.of("src/test/mutations/simulation.txt");

	private Planting() {
	}

	/**
	 * Return the names of all bugs.
	 */
	public static List<String> names() throws IOException {
		return all().stream().map(Mutation::name).toList();
	}

	private static List<Mutation> all() throws IOException {
		List<Mutation> all = new ArrayList<>(Mutation.read(Mutation.LIST));
		if (Files.exists(SIMULATION)) {
			all.addAll(Mutation.read(SIMULATION));
		}
		return all;
	}

	/**
	 * Plant a bug.
	 * @param name its name, or a part of it that no other has
	 * @param classes where the file goes
	 * @return its name
	 * @throws IllegalArgumentException if there is no such bug
	 * @throws IllegalStateException if it does not apply
	 */
	public static String plant(String name, Path classes) throws IOException {
		List<Mutation> found = all().stream().filter((each) -> each.name().equals(name)).toList();
		if (found.isEmpty()) {
			found = all().stream().filter((each) -> each.name().contains(name)).toList();
		}
		if (found.size() != 1) {
			throw new IllegalArgumentException(
					"Not one bug: " + name + " is " + found.stream().map(Mutation::name).toList());
		}
		plant(found.get(0), classes, System.getProperty("java.class.path"));
		return found.get(0).name();
	}

	static void plant(Mutation mutation, Path classes, String classPath) throws IOException {
		String mutated = mutation.applyTo(Files.readString(Modules.source(mutation.file())));
		Path sources = mutation.isJava() ? Files.createTempDirectory(classes, "sources") : classes;
		Path file = sources.resolve(Path.of(mutation.file()).subpath(1, Path.of(mutation.file()).getNameCount()));
		Files.createDirectories(file.getParent());
		Files.writeString(file, mutated);
		if (mutation.isJava()) {
			compile(file, classes, classPath);
		}
	}

	private static void compile(Path file, Path classes, String classPath) {
		int status = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-nowarn", "-proc:none", "-parameters", "-d", classes.toString(), "-cp", classPath,
					file.toString());
		if (status != 0) {
			throw new IllegalStateException("it does not compile");
		}
	}

}
