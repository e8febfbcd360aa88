// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * Plants each bug of the list, compiles the file it is in, and runs the tests that should
 * notice, each time in a JVM of its own that finds the bug before the original on its
 * class path. The sources stay as they are. To be started by {@code mutations.sh}.
 */
final class MutationRun {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final int HANGS = -1;

	private final Path work;

	private final String classPath = System.getProperty("java.class.path");

	private MutationRun(Path work) {
		this.work = work;
	}

	/**
	 * Plant bugs.
	 * @param args parts of the names of bugs; without any, all are planted;
	 * {@code --generated} and the options of {@link GeneratedRun} for others
	 */
	public static void main(String... args) throws IOException, InterruptedException {
		if (args.length > 0 && args[0].equals("--generated")) {
			GeneratedRun.run(List.of(args).subList(1, args.length), System.out);
			return;
		}
		List<Mutation> mutations = Mutation.read(Mutation.LIST)
			.stream()
			.filter((mutation) -> args.length == 0 || Arrays.stream(args).anyMatch(mutation.name()::contains))
			.toList();
		if (mutations.isEmpty()) {
			throw new IllegalArgumentException("No such mutation");
		}
		Path work = Files.createTempDirectory("lock-starter-mutations");
		boolean allCaught;
		try {
			allCaught = new MutationRun(work).run(mutations);
		}
		finally {
			FileSystemUtils.deleteRecursively(work);
		}
		System.exit(allCaught ? 0 : 1);
	}

	private boolean run(List<Mutation> mutations) throws IOException, InterruptedException {
		List<String> tests = mutations.stream().flatMap((mutation) -> mutation.tests().stream()).distinct().toList();
		List<String> failures = new ArrayList<>();
		if (runTests(this.work.resolve("nothing"), tests, failures) != TestRun.SURVIVED) {
			System.out.println("Without any mutation these fail: " + failures);
			return false;
		}
		System.out.printf("%d mutations, %d test classes, which all pass without%n", mutations.size(), tests.size());
		int caught = 0;
		for (Mutation mutation : mutations) {
			String verdict = verdict(mutation);
			caught += verdict.startsWith("caught") ? 1 : 0;
			System.out.printf("%-60s %s%n", mutation.name(), verdict);
		}
		System.out.printf("%d of %d caught%n", caught, mutations.size());
		return caught == mutations.size();
	}

	private String verdict(Mutation mutation) throws IOException, InterruptedException {
		Path classes = Files.createTempDirectory(this.work, "classes");
		try {
			Planting.plant(mutation, classes, this.classPath);
		}
		catch (IllegalStateException ex) {
			return "DOES NOT APPLY: " + ex.getMessage();
		}
		List<String> failures = new ArrayList<>();
		return switch (runTests(classes, mutation.tests(), failures)) {
			case TestRun.CAUGHT -> "caught by %s%s".formatted(failures.get(0),
					(failures.size() > 1) ? " and " + (failures.size() - 1) + " more" : "");
			case TestRun.SURVIVED -> "SURVIVED";
			case HANGS -> "caught: a test does not end";
			default -> "FAILED to run the tests";
		};
	}

	/**
	 * Run tests in another JVM.
	 * @param first where to find classes first
	 * @param failures what to add the names of failed tests to
	 * @return how the JVM ended
	 */
	private int runTests(Path first, List<String> tests, List<String> failures)
			throws IOException, InterruptedException {
		Path output = Files.createTempFile(this.work, "output", ".txt");
		List<String> command = Stream.concat(
				Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
						"-XX:TieredStopAtLevel=1", "-XX:+EnableDynamicAgentLoading", "-Xshare:auto", "-cp",
						first + System.getProperty("path.separator") + this.classPath, TestRun.class.getName()),
				tests.stream())
			.toList();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			if (!process.waitFor(PATIENCE.multipliedBy(tests.size()).toSeconds(), TimeUnit.SECONDS)) {
				return HANGS;
			}
		}
		finally {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly().waitFor();
		}
		List<String> lines = Files.readAllLines(output);
		lines.stream()
			.filter((line) -> line.startsWith(TestRun.FAILED))
			.forEach((line) -> failures.add(line.substring(TestRun.FAILED.length())));
		if (process.exitValue() != TestRun.CAUGHT && process.exitValue() != TestRun.SURVIVED) {
			lines.forEach(System.out::println);
		}
		return process.exitValue();
	}

}
