// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.EnumSet;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShrinkerTest {

	private final Scenario scenario = Scenario.of(7, Topology.ONE);

	@Test
	void onlyWhatIsNeededRemains() {
		Scenario smallest = new Shrinker(this.scenario,
				(each) -> (each.mask() & 0b1010) == 0b1010 && each.actors() == 2 && each.instances() >= 2)
			.shrink();
		assertThat(smallest.mask()).isEqualTo(0b1010);
		assertThat(smallest.instances()).isEqualTo(2);
		assertThat(smallest.actors()).isEqualTo(2);
		assertThat(smallest.keys()).isEqualTo(1);
		assertThat(smallest.operations()).isEqualTo(1);
		assertThat(smallest.seed()).isEqualTo(7);
	}

	@Test
	void whatCannotBeMadeSmallerStays() {
		assertThat(new Shrinker(this.scenario, this.scenario::equals).shrink()).isEqualTo(this.scenario);
	}

	@Test
	void whatDiffersFromOtherRunsIsTakenAway() {
		Scenario smallest = new Shrinker(this.scenario.withTraits(EnumSet.allOf(Trait.class)),
				(each) -> each.has(Trait.SEVERAL))
			.shrink();
		assertThat(smallest.traits()).containsExactly(Trait.SEVERAL);
	}

	@Test
	void optionsRepeatWhatASeedVaries() {
		for (long seed = 1; seed <= 40; seed++) {
			Scenario varied = Scenario.of(seed, Topology.CLUSTER).varied();
			assertThat(simulated(varied.options())).isEqualTo(varied);
		}
	}

	/**
	 * A seed that varies is what it was, if its sizes are said.
	 */
	@Test
	void whatIsSaidIsNotDrawn() {
		long seed = LongStream.iterate(1, (each) -> each + 1)
			.filter((each) -> !Scenario.of(each, Topology.ONE).variedAtTimes().equals(Scenario.of(each, Topology.ONE)))
			.findFirst()
			.orElseThrow();
		Scenario plain = Scenario.of(seed, Topology.ONE);
		assertThat(simulated("--topology one --seed " + seed)).isEqualTo(plain.varied());
		assertThat(simulated("--topology one --actors 2 --seed " + seed)).isEqualTo(plain);
		assertThat(simulated("--topology one --with several --seed " + seed))
			.isEqualTo(plain.withTraits(EnumSet.of(Trait.SEVERAL)));
		assertThat(simulated("--topology one --permits 2 --seed " + seed)).isEqualTo(plain.varied().withPermits(2));
	}

	private static Scenario simulated(String options) {
		return new Simulation(options.split(" ", -1)).scenario(0);
	}

	@Test
	void optionsRepeatAScenario() {
		assertThat(this.scenario.withMask(0xa).options())
			.isEqualTo("--seed 7 --topology one --instances 3 --actors 2 --keys 2 --operations 2 --mask a");
	}

}
