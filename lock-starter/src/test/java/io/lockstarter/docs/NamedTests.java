// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Disabled;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Tests that a document names, in whichever module they are.
 */
final class NamedTests {

	private static final List<String> MODULES = List.of("lock-starter", "lock-starter-quorum", "lock-starter-migration",
			"lock-starter-simulation");

	private static final Pattern TESTS = Pattern.compile("`\\w+\\.\\w+`( `\\w+\\.\\w+`)*");

	private NamedTests() {
	}

	/**
	 * Return what is wrong with a cell that names tests.
	 */
	static List<String> missingTests(String shownBy) throws IOException {
		if (!TESTS.matcher(shownBy).matches()) {
			return List.of("not a list of tests: " + shownBy);
		}
		List<String> mistakes = new ArrayList<>();
		for (String test : shownBy.replace("`", "").split(" ", -1)) {
			String[] name = test.split("\\.", -1);
			if (!isTest(name[0], name[1])) {
				mistakes.add("no test: " + test);
			}
		}
		return mistakes;
	}

	static List<String> cells(String row) {
		// the limit keeps a last cell that is empty
		String[] cells = row.strip().split("\\|", -1);
		return Stream.of(cells).skip(1).limit(cells.length - 2L).map(String::strip).toList();
	}

	private static boolean isTest(String simpleName, String method) throws IOException {
		Optional<Class<?>> type = testClass(simpleName);
		return type.isPresent() && !Modifier.isAbstract(type.get().getModifiers())
				&& !AnnotationSupport.isAnnotated(type.get(), Disabled.class)
				&& methods(type.get()).anyMatch((candidate) -> candidate.getName().equals(method)
						&& AnnotationSupport.isAnnotated(candidate, Testable.class)
						&& !AnnotationSupport.isAnnotated(candidate, Disabled.class));
	}

	private static Stream<Method> methods(Class<?> type) {
		Stream<Method> own = Arrays.stream(type.getDeclaredMethods());
		return Stream.concat(own,
				Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
					.flatMap(NamedTests::methods));
	}

	private static Optional<Class<?>> testClass(String simpleName) throws IOException {
		for (String module : MODULES) {
			Path sources = Path.of("..", module, "src/test/java");
			try (Stream<Path> files = Files.walk(sources)) {
				Optional<Path> source = files.filter((file) -> file.endsWith(simpleName + ".java")).findAny();
				if (source.isPresent()) {
					return source.map((file) -> load(sources.relativize(file)));
				}
			}
		}
		return Optional.empty();
	}

	private static Class<?> load(Path source) {
		String name = source.toString().replaceFirst("\\.java$", "").replaceAll("[/\\\\]", ".");
		try {
			return Class.forName(name, false, NamedTests.class.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
