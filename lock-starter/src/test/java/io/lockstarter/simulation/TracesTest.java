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
package io.lockstarter.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The traces in {@code docs/internals/testing.md} are those of the seeds that they name.
 * If a change is right, paste what this test prints.
 */
@ExtendWith(Unlogged.class)
class TracesTest {

	private static final Path DOCUMENT = Path.of("../docs/internals/testing.md");

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

	@ParameterizedTest
	@MethodSource("scenarios")
	void areThoseOfTheirSeeds(Scenario scenario) throws IOException {
		Run run = Run.of(scenario, true);
		assertThat(run.violations()).isEmpty();
		String trace = run.world().traced().stream().map(String::stripTrailing).collect(Collectors.joining("\n"));
		assertThat(Files.readString(DOCUMENT))
			.contains("simulate.sh --trace %s\n%s\n".formatted(scenario.options(), trace));
	}

}
