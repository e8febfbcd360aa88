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
