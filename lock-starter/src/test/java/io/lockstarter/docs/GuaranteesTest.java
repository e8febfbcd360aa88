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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every fault in {@code docs/internals/faults.md} is shown by tests, which are there.
 */
class GuaranteesTest {

	private static final Path SOURCES = Path.of("src/test/java");

	private static final List<String> COLUMNS = List.of("fault", "what happens", "what the user sees", "shown by");

	private static final Pattern TESTS = Pattern.compile("`\\w+\\.\\w+`( `\\w+\\.\\w+`)*");

	static List<String> rows() throws IOException {
		return Files.readAllLines(Path.of("../docs/internals/faults.md"))
			.stream()
			.filter((line) -> line.startsWith("|") && !line.startsWith("|---"))
			.filter((line) -> !cells(line).equals(COLUMNS))
			.toList();
	}

	@ParameterizedTest
	@MethodSource("rows")
	void everyFaultIsShownByTests(String row) throws IOException {
		assertThat(mistakes(row)).isEmpty();
	}

	@Test
	void faultsAreThere() throws IOException {
		assertThat(rows()).hasSizeGreaterThan(35)
			.anySatisfy((row) -> assertThat(row).startsWith("| holder killed "))
			.doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "| fault | happens | sees |", "| fault | happens | sees | |", "| fault | happens | | `A.b` |",
					"| fault | happens | sees | by hand |", "| fault | happens | sees | `GuaranteesTest` |",
					"| fault | happens | sees | `GuaranteesTest.faultsAreThere`, and more |",
					"| fault | happens | sees | `MissingTest.faultsAreThere` |",
					"| fault | happens | sees | `GuaranteesTest.missing` |",
					"| fault | happens | sees | `GuaranteesTest.rows` |",
					"| fault | happens | sees | `GuaranteesTest.faultsAreThere` `GuaranteesTest.missing` |",
					"| fault | happens | sees | `LockStoreContract.aFreeKeyIsTaken` |" })
	void rowThatShowsNothingIsFound(String row) throws IOException {
		assertThat(mistakes(row)).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "| fault | happens | sees | `GuaranteesTest.faultsAreThere` |",
			"| fault | happens | sees | `GuaranteesTest.faultsAreThere` `GuaranteesTest.everyFaultIsShownByTests` |",
			"| fault | happens | sees | `MemoryLockStoreTest.aFreeKeyIsTaken` |" })
	void rowThatNamesTestsIsFine(String row) throws IOException {
		assertThat(mistakes(row)).isEmpty();
	}

	private static List<String> mistakes(String row) throws IOException {
		List<String> cells = cells(row);
		if (cells.size() != COLUMNS.size() || cells.contains("")) {
			return List.of("not four cells with something in them: " + cells);
		}
		return missingTests(cells.get(3));
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
					.flatMap(GuaranteesTest::methods));
	}

	private static Optional<Class<?>> testClass(String simpleName) throws IOException {
		try (Stream<Path> files = Files.walk(SOURCES)) {
			Optional<Path> source = files.filter((file) -> file.endsWith(simpleName + ".java")).findAny();
			return source.map((file) -> load(SOURCES.relativize(file)));
		}
	}

	private static Class<?> load(Path source) {
		String name = source.toString().replaceFirst("\\.java$", "").replaceAll("[/\\\\]", ".");
		try {
			return Class.forName(name, false, GuaranteesTest.class.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
