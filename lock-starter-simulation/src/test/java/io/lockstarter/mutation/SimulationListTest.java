// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the bugs for the simulation against the sources.
 */
class SimulationListTest {

	@ParameterizedTest
	@MethodSource("mutations")
	void appliesToTheSources(Mutation mutation) throws IOException {
		String source = Files.readString(Modules.source(mutation.file()));
		assertThat(mutation.applyTo(source)).isNotEqualTo(source);
	}

	@Test
	void namesAreDistinct() throws IOException {
		Set<String> names = new HashSet<>();
		assertThat(Planting.names()).allMatch(names::add);
	}

	static List<Mutation> mutations() throws IOException {
		return Mutation.read(Planting.SIMULATION);
	}

}
