/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
