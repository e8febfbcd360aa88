// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BinaryOperator;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Rounds.Case;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;

/**
 * The figures of all scenarios that were measured.
 */
final class Results {

	private final Map<Scenario, Rounds> rounds = new EnumMap<>(Scenario.class);

	private final MicroResults micro;

	private Results(MicroResults micro) {
		this.micro = micro;
	}

	static Results load(Path directory) {
		Results results = new Results(MicroResults.load(directory.resolve(MicroResults.FILE)));
		for (Scenario scenario : Scenario.values()) {
			results.rounds.put(scenario, Rounds.load(directory.resolve(scenario.id() + ".csv")));
		}
		return results;
	}

	Rounds of(Scenario scenario) {
		return this.rounds.getOrDefault(scenario, new Rounds());
	}

	MicroResults micro() {
		return this.micro;
	}

	OptionalDouble get(Scenario scenario, Contender contender, Metric metric) {
		return of(scenario).get(new Case(scenario, contender, ThreadKind.PLATFORM), metric);
	}

	/**
	 * Return the largest figure among some contenders.
	 * @param scenario the scenario
	 * @param who which contenders
	 * @param metric the metric
	 * @return the figure; empty if none was observed
	 */
	OptionalDouble largest(Scenario scenario, Set<Contender> who, Metric metric) {
		return best(scenario, who, metric, Math::max);
	}

	/**
	 * Return the smallest figure among some contenders.
	 * @param scenario the scenario
	 * @param who which contenders
	 * @param metric the metric
	 * @return the figure; empty if none was observed
	 */
	OptionalDouble smallest(Scenario scenario, Set<Contender> who, Metric metric) {
		return best(scenario, who, metric, Math::min);
	}

	/**
	 * Return the sum of what was observed in all scenarios.
	 * @param who which contenders
	 * @param metric what
	 * @return the sum; empty if it was never observed
	 */
	OptionalDouble total(Set<Contender> who, Metric metric) {
		return Arrays.stream(Scenario.values())
			.flatMap((scenario) -> who.stream().map((contender) -> get(scenario, contender, metric)))
			.reduce(OptionalDouble.empty(), (one, other) -> combine(one, other, Double::sum));
	}

	private OptionalDouble best(Scenario scenario, Set<Contender> who, Metric metric, BinaryOperator<Double> better) {
		return who.stream()
			.map((contender) -> get(scenario, contender, metric))
			.reduce(OptionalDouble.empty(), (one, other) -> combine(one, other, better));
	}

	private static OptionalDouble combine(OptionalDouble one, OptionalDouble other, BinaryOperator<Double> operator) {
		if (one.isEmpty() || other.isEmpty()) {
			return one.isEmpty() ? other : one;
		}
		return OptionalDouble.of(operator.apply(one.getAsDouble(), other.getAsDouble()));
	}

}
