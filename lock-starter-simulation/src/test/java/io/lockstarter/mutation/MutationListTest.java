// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that the list of planted bugs fits the sources of today. Whether each is caught
 * takes {@code mutations.sh} some minutes to find out.
 */
class MutationListTest {

	private static final Pattern WITH_OPTIONAL_JARS = Pattern.compile("/(actuate|autoconfigure|interceptor|observe)/");

	private static final Mutation MUTATION = new Mutation("name", "File.java", List.of("SomeTest"), List.of("b;", "c;"),
			List.of("d;"));

	@ParameterizedTest
	@MethodSource("mutations")
	void appliesToTheSourcesAndNamesTests(Mutation mutation) throws IOException {
		String source = Files.readString(Modules.source(mutation.file()));
		assertThat(mutation.applyTo(source)).isNotEqualTo(source);
		assertThat(mutation.tests()).isNotEmpty()
			.allSatisfy(
					(test) -> assertThatCode(() -> Class.forName("io.lockstarter." + test)).doesNotThrowAnyException());
	}

	/**
	 * Those of different files are compiled together. What some rooms need is optional,
	 * and not on the class path here.
	 */
	@Test
	@Tag("proof")
	@Tag("computes")
	void bugsInJavaCompile(@TempDir Path directory) throws IOException {
		Map<String, List<Mutation>> files = mutations().stream()
			.filter((bug) -> bug.isJava() && !WITH_OPTIONAL_JARS.matcher(bug.file()).find())
			.collect(Collectors.groupingBy(Mutation::file));
		int most = files.values().stream().mapToInt(List::size).max().orElseThrow();
		List<String> problems = new ArrayList<>();
		for (int i = 0; i < most; i++) {
			Path sources = Files.createDirectory(directory.resolve("sources-" + i));
			List<Path> written = new ArrayList<>();
			for (List<Mutation> bugs : files.values()) {
				if (i < bugs.size()) {
					written.add(Planting.write(bugs.get(i), sources));
				}
			}
			Path classes = Files.createDirectory(directory.resolve("classes-" + i));
			problems.add(Planting.compile(written, classes, System.getProperty("java.class.path")));
		}
		assertThat(problems).allMatch(String::isEmpty);
	}

	@Test
	void namesAreDistinct() throws IOException {
		Set<String> names = new HashSet<>();
		assertThat(mutations()).hasSizeGreaterThanOrEqualTo(20).allMatch((mutation) -> names.add(mutation.name()));
	}

	@Test
	void replacesLinesWhateverTheirIndentation() {
		assertThat(MUTATION.applyTo("\ta;\n\tb;\n\t\tc;\n\ta;\n")).isEqualTo("\ta;\nd;\n\ta;\n");
	}

	@Test
	void linesThatAreMissingOrThereTwiceAreAnError() {
		assertThatIllegalStateException().isThrownBy(() -> MUTATION.applyTo("b;\n")).withMessageContaining("0 times");
		assertThatIllegalStateException().isThrownBy(() -> MUTATION.applyTo("b;\nc;\nb;\nc;\n"))
			.withMessageContaining("2 times");
	}

	static List<Mutation> mutations() throws IOException {
		return Mutation.read(Mutation.LIST);
	}

}
