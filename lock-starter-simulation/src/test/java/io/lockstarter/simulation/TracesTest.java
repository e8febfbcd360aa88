// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The traces in {@code docs/internals/traces.md} are those of the seeds that they name.
 * If a change is right, paste what this test prints.
 */
@ExtendWith(Unlogged.class)
class TracesTest {

	private static final Path DOCUMENT = Path.of("../docs/internals/traces.md");

	// Those of the torture are small.
	private static final Pattern SEED = Pattern.compile("--seed (\\d{3,})");

	static Stream<Scenario> scenarios() {
		return Stream.of(
				Scenario.of(233, Topology.ONE).withInstances(2).withActors(1).withKeys(1).withOperations(1).withMask(2),
				Scenario.of(126, Topology.FAILOVER)
					.withInstances(1)
					.withActors(1)
					.withKeys(1)
					.withOperations(2)
					.withMask(1));
	}

	/**
	 * Commands of documents that say no sizes go on showing what they showed.
	 */
	@Test
	void seedsThatAreNamedDoNotVary() throws IOException {
		try (Stream<Path> documents = Files.list(DOCUMENT.getParent())) {
			List<String> named = documents.filter((each) -> each.toString().endsWith(".md"))
				.flatMap(TracesTest::seeds)
				.toList();
			assertThat(named).contains("233", "126").allSatisfy((seed) -> {
				Scenario scenario = Scenario.of(Long.parseLong(seed), Topology.ONE);
				assertThat(scenario.variedAtTimes()).isEqualTo(scenario);
			});
		}
	}

	private static Stream<String> seeds(Path document) {
		try {
			return SEED.matcher(Files.readString(document)).results().map((found) -> found.group(1));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("scenarios")
	void areThoseOfTheirSeeds(Scenario scenario) throws IOException {
		Run run = Run.of(scenario, true);
		assertThat(run.violations()).isEmpty();
		String trace = run.world()
			.traced()
			.stream()
			.takeWhile((line) -> !line.endsWith(Inspector.BEGINS))
			.map(String::stripTrailing)
			.collect(Collectors.joining("\n"));
		assertThat(Files.readString(DOCUMENT))
			.contains("simulate.sh --trace %s\n%s\n".formatted(scenario.options(), trace));
	}

}
