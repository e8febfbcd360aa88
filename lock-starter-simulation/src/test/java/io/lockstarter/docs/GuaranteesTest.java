// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every fault in {@code docs/internals/faults.md} is shown by tests, which are there.
 */
class GuaranteesTest {

	private static final Pattern SHOWN_BY = Pattern.compile("`\\w+Test\\.\\w+`");

	private static final List<String> COLUMNS = List.of("fault", "what happens", "what the user sees", "shown by");

	static List<String> rows() throws IOException {
		return Files.readAllLines(Path.of("../docs/internals/faults.md"))
			.stream()
			.filter((line) -> line.startsWith("|") && !line.startsWith("|---"))
			.filter((line) -> !NamedTests.cells(line).equals(COLUMNS))
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

	@Test
	void everyTestThatTheMigrationNamesIsThere() throws IOException {
		String pages = Files.readString(Path.of("../docs/migration.md"))
				+ Files.readString(Path.of("../docs/internals/migration.md"));
		List<String> tests = SHOWN_BY.matcher(pages).results().map((match) -> match.group()).toList();
		assertThat(tests).hasSizeGreaterThan(9)
			.allSatisfy((test) -> assertThat(NamedTests.missingTests(test)).isEmpty());
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
		List<String> cells = NamedTests.cells(row);
		if (cells.size() != COLUMNS.size() || cells.contains("")) {
			return List.of("not four cells with something in them: " + cells);
		}
		return NamedTests.missingTests(cells.get(3));
	}

}
