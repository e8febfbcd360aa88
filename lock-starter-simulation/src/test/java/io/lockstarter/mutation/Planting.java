// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
		Path file = write(mutation, mutation.isJava() ? Files.createTempDirectory(classes, "sources") : classes);
		if (mutation.isJava()) {
			String problem = compile(List.of(file), classes, classPath);
			if (!problem.isEmpty()) {
				throw new IllegalStateException("it does not compile: " + problem);
			}
		}
	}

	/**
	 * Write the file of a bug.
	 * @param sources the directory of its package is in there
	 * @return the file
	 */
	static Path write(Mutation mutation, Path sources) throws IOException {
		String mutated = mutation.applyTo(Files.readString(Modules.source(mutation.file())));
		Path file = sources.resolve(Path.of(mutation.file()).subpath(1, Path.of(mutation.file()).getNameCount()));
		Files.createDirectories(file.getParent());
		Files.writeString(file, mutated);
		return file;
	}

	/**
	 * Compile files.
	 * @return what is wrong with them; empty if nothing is
	 */
	static String compile(List<Path> files, Path classes, String classPath) {
		List<String> arguments = new ArrayList<>(
				List.of("-nowarn", "-proc:none", "-parameters", "-d", classes.toString(), "-cp", classPath));
		files.forEach((file) -> arguments.add(file.toString()));
		ByteArrayOutputStream problems = new ByteArrayOutputStream();
		int status = ToolProvider.getSystemJavaCompiler().run(null, null, problems, arguments.toArray(String[]::new));
		return (status == 0) ? "" : problems.toString(StandardCharsets.UTF_8);
	}

}
