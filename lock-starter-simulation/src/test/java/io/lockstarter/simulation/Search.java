// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Runs seeds in turn over topologies. A class loader of its own has it, which knows
 * nothing of ours but what the JDK has.
 */
final class Search implements LongFunction<@Nullable String> {

	private final List<Topology> topologies;

	private final Focus focus;

	Search(String topologies, String focus) {
		this.focus = Focus.valueOf(focus);
		this.topologies = Stream.of(topologies.split(" ", -1)).map(Topology::valueOf).toList();
	}

	/**
	 * Run a seed.
	 * @return the topology and the rule that was broken; {@code null} if none was
	 */
	@Override
	public @Nullable String apply(long seed) {
		Topology topology = this.topologies.get((int) (seed % this.topologies.size()));
		Run run = Run.of(this.focus.of(Scenario.of(seed, topology)), false);
		return run.violations().isEmpty() ? null : Scenario.name(topology) + " " + run.violations().get(0).rule();
	}

}
