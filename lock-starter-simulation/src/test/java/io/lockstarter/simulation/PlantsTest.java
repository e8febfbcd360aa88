// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

import io.lockstarter.mutation.Planting;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some planted bugs are found soon, so that the simulation cannot go blind unnoticed;
 * {@code simulate.sh --plants} looks for all of them.
 */
@Tag("proof")
@Tag("computes")
@ExtendWith(Unlogged.class)
class PlantsTest {

	private static final int SEEDS = 400;

	@ParameterizedTest
	@ValueSource(strings = { "nobody looks at the deadline of a new lease", "listeners are not told of a loss",
			"a lease ends with its ttl and not with its deadline", "a poll is forgotten when a signal comes",
			"a second permit that is granted is kept", "who has a permit goes on waiting for other slots",
			"there is a slot more than permits", "who wants a lock alone does not look at its readers",
			"what is shared is granted to who wants it alone", "readers pass a writer that waits in the queue",
			"what too few replicas know counts as acquired", "an extension counts from its answer",
			"who asks for another ttl is passed on what there is", "nobody listens to the news of a release by force",
			"tokens leap by months", "a registry that is stopped goes on listening",
			"commands of a connection that was lost fail",
			"leadership is released before the sections of the leader have ended",
			"who is forced out is not told so by the answer to what he does", "nobody is told that a lock is shared",
			"a minimum hold is forgotten", "an action for a loss cannot be taken back" })
	void isFound(String name) throws IOException {
		Plant plant = Plant.all().stream().filter((each) -> each.name().equals(name)).findFirst().orElseThrow();
		try (PlantedClasses classes = new PlantedClasses(plant)) {
			assertThat(LongStream.rangeClosed(1, SEEDS).mapToObj(classes::run).filter(Objects::nonNull).findFirst())
				.as(name)
				.isNotEmpty();
		}
	}

	@Test
	void knowsAllPlants() throws IOException {
		List<String> names = Plant.all().stream().map(Plant::name).toList();
		assertThat(names).doesNotHaveDuplicates().isSubsetOf(Planting.names());
	}

}
