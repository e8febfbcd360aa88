// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that mutants are there, have names that stay, and are drawn by these.
 */
@Tag("computes")
class GeneratedMutantTest {

	private static final List<GeneratedMutant> HUNDRED = IntStream.range(0, 100)
		.mapToObj((number) -> mutant("id " + number))
		.toList();

	private static final Map<Room, List<GeneratedMutant>> ALL = new EnumMap<>(Room.class);

	@BeforeAll
	static void make() {
		for (Room room : Room.values()) {
			ALL.put(room, room.mutants());
		}
	}

	private static Set<String> ids(Room room) {
		return ALL.getOrDefault(room, List.of()).stream().map(GeneratedMutant::id).collect(Collectors.toSet());
	}

	private static GeneratedMutant mutant(String id) {
		return new GeneratedMutant(id, "", Room.ALL, "file", () -> new byte[0]);
	}

	private static List<String> drawn(Collection<GeneratedMutant> mutants, int count, long seed) {
		return GeneratedMutant.draw(List.copyOf(mutants), count, seed).stream().map(GeneratedMutant::id).toList();
	}

	@Test
	void seedsDrawDifferentOnes() {
		assertThat(drawn(HUNDRED, 10, 1)).hasSize(10).doesNotHaveDuplicates().isEqualTo(drawn(HUNDRED, 10, 1));
		assertThat(drawn(HUNDRED, 10, 2)).isNotEqualTo(drawn(HUNDRED, 10, 1));
		assertThat(drawn(HUNDRED, 200, 1)).hasSize(100);
	}

	@Test
	void othersAreDrawnStillWhenOneIsGoneAndOneComes() {
		List<String> before = drawn(HUNDRED, 10, 1);
		List<GeneratedMutant> others = Stream
			.concat(HUNDRED.stream().filter((mutant) -> !mutant.id().equals(before.get(3))),
					Stream.of(mutant("another one")))
			.toList();
		assertThat(drawn(others, 11, 1))
			.containsAll(before.stream().filter((id) -> !id.equals(before.get(3))).toList());
	}

	@Test
	void smallerSamplesAreTheBeginningOfLargerOnes() {
		assertThat(drawn(HUNDRED, 40, 7)).startsWith(drawn(HUNDRED, 10, 7).toArray(String[]::new));
	}

	@ParameterizedTest
	@EnumSource
	void namesOfARoomAreDistinct(Room room) {
		assertThat(ids(room)).hasSizeGreaterThan(100).hasSameSizeAs(ALL.getOrDefault(room, List.of()));
	}

	@Test
	void classesAreMutatedByAllDefaultOperators() {
		Set<String> operators = ids(Room.ENGINE).stream()
			.map((id) -> id.replaceFirst(".* (\\w+) \\d+$", "$1"))
			.collect(Collectors.toSet());
		assertThat(operators).contains("ConditionalsBoundary", "Increments", "Math", "NegateConditionals",
				"VoidMethodCall", "EmptyObjectReturnVals", "BooleanFalseReturnVals", "BooleanTrueReturnVals",
				"NullReturnVals", "PrimitiveReturns");
	}

	@Test
	void equivalentsAreMutantsOfToday() throws Exception {
		List<String> ids = Stream.of(Room.values()).flatMap((room) -> ids(room).stream()).toList();
		assertThat(Equivalents.read().reasons().keySet()).isNotEmpty()
			.allSatisfy((named) -> assertThat(ids).anyMatch((id) -> Equivalents.isNamed(id, named)));
	}

	@Test
	void lambdasAreNamedWithoutTheirNumbers() {
		String named = "redis.A.lambda$of(int) Math 1";
		assertThat(Equivalents.isNamed("redis.A.lambda$of$0(int) Math 1", named)).isTrue();
		assertThat(Equivalents.isNamed("redis.A.lambda$of$12(int) Math 1", named)).isTrue();
		assertThat(Equivalents.isNamed("redis.A.lambda$of$0(int) Math 2", named)).isFalse();
		assertThat(Equivalents.isNamed("redis.A.lambda$with$0(int) Math 1", named)).isFalse();
	}

	/**
	 * Or the list would name more than was looked at.
	 */
	@Test
	void noEquivalentNamesSeveralMutants() throws Exception {
		List<String> ids = Stream.of(Room.values()).flatMap((room) -> ids(room).stream()).toList();
		assertThat(Equivalents.read().reasons().keySet()).filteredOn((named) -> !named.endsWith("*"))
			.allSatisfy((named) -> assertThat(ids).filteredOn((id) -> Equivalents.isNamed(id, named)).hasSize(1));
	}

	@Test
	void classesThatAreNoMatterOfTheSimulationHaveTests() throws Exception {
		List<String> tests = Modules.namesOfSources().stream().map((file) -> file.replace(".java", "")).toList();
		assertThat(Equivalents.read().reasons()).allSatisfy((named, reason) -> {
			if (named.endsWith("*")) {
				assertThat(reason).matches("(\\w+Test(, )?)+");
				assertThat(reason.split(", ")).isSubsetOf(tests);
			}
		});
	}

}
