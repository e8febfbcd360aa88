// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

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
	void optionsRepeatAScenario() {
		assertThat(this.scenario.withMask(0xa).options())
			.isEqualTo("--seed 7 --topology one --instances 3 --actors 2 --keys 2 --operations 2 --mask a");
	}

}
