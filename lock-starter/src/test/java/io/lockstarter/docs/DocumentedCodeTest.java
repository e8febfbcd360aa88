package io.lockstarter.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a document shows as Java stands, line for line, in code that is compiled and run.
 */
class DocumentedCodeTest {

	private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	private static final Pattern JAVADOC = Pattern.compile("/\\*\\*|\\*/|\\* ");

	@ParameterizedTest
	@ValueSource(strings = { "../README.md", "getting-started.md", "annotation.md", "programmatic-use.md",
			"transactions-and-ordering.md", "asynchronous-and-reactive.md", "operations-and-troubleshooting.md",
			"testing-your-service.md" })
	void everyExampleIsCompiled(String document) throws IOException {
		String sources = sources();
		List<String> examples = JAVA.matcher(Files.readString(Path.of("../docs", document)))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(examples).isNotEmpty();
		assertThat(examples).allSatisfy((example) -> assertThat(sources).as(example).contains(withoutLayout(example)));
	}

	private static String sources() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/test/java/io/lockstarter/docs"))) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.map(DocumentedCodeTest::read)
				.map(DocumentedCodeTest::withoutLayout)
				.collect(Collectors.joining("\n"));
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String withoutLayout(String code) {
		return code.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !JAVADOC.matcher(line).lookingAt())
			.collect(Collectors.joining("\n"));
	}

}
