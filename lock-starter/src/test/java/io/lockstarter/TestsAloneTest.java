// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with the tag {@code alone} run in an execution of Surefire of their own, which
 * finds them by name. Any other name would run nowhere.
 */
class TestsAloneTest {

	private static final String TAG = "@Tag(\"alone\")";

	private static final String NAMES = "\\w*LincheckTest|HeapPressureTest|\\w*TortureTest";

	@Test
	void testsThatRunAloneAreFoundByName() throws IOException {
		List<String> tests;
		try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
			tests = files.filter((file) -> file.toString().endsWith(".java"))
				.filter((file) -> textOf(file).contains(TAG))
				.map((file) -> file.getFileName().toString().replace(".java", ""))
				.toList();
		}
		assertThat(tests).hasSizeGreaterThan(5).allMatch((name) -> name.matches(NAMES));
		assertThat(textOf(Path.of("pom.xml"))).contains("<include>**/*LincheckTest</include>",
				"<include>**/HeapPressureTest</include>", "<include>**/*TortureTest</include>");
	}

	private static String textOf(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
