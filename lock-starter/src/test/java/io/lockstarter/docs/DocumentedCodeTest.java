// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a document shows as Java stands, line for line, in code that is compiled and run.
 */
class DocumentedCodeTest {

	private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	private static final Pattern JAVADOC = Pattern.compile("/\\*\\*|\\*/|\\* ");

	// FencedTableTest checks that page
	private static final Path FENCING = Path.of("../docs/fencing.md");

	static List<Path> pages() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("../docs"))) {
			return Stream.concat(files, Stream.of(Path.of("../README.md")))
				.filter((file) -> file.toString().endsWith(".md") && !file.equals(FENCING))
				.filter((file) -> JAVA.matcher(Sources.read(file)).find())
				.sorted()
				.toList();
		}
	}

	@Test
	void pagesWithExamplesAreFound() throws IOException {
		assertThat(pages()).hasSizeGreaterThan(8)
			.contains(Path.of("../README.md"), Path.of("../docs/annotation.md"), Path.of("../docs/configuration.md"));
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyExampleIsCompiled(Path page) {
		String sources = Sources.java("src/test/java/io/lockstarter/docs", DocumentedCodeTest::withoutLayout);
		List<String> examples = JAVA.matcher(Sources.read(page)).results().map((match) -> match.group(1)).toList();
		assertThat(examples).isNotEmpty();
		assertThat(examples).allSatisfy((example) -> assertThat(sources).as(example).contains(withoutLayout(example)));
	}

	private static String withoutLayout(String code) {
		return code.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !JAVADOC.matcher(line).lookingAt())
			.collect(Collectors.joining("\n"));
	}

}
