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
		String source = Files.readString(Mutation.SOURCES.resolve(mutation.file()));
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
