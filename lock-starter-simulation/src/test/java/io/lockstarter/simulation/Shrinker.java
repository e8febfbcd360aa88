// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Looks for a smaller scenario in which the same promise is broken.
 */
final class Shrinker {

	private static final int MOST_RUNS = 500;

	private final Predicate<Scenario> fails;

	private Scenario smallest;

	private int runs;

	Shrinker(Run run) {
		this(run.scenario(), failsLike(run.violations().get(0).rule()));
	}

	Shrinker(Scenario scenario, Predicate<Scenario> fails) {
		this.smallest = scenario;
		this.fails = fails;
	}

	private static Predicate<Scenario> failsLike(Violation.Rule rule) {
		return (scenario) -> {
			List<Violation> violations = Run.of(scenario, false).violations();
			return !violations.isEmpty() && violations.get(0).rule() == rule;
		};
	}

	/**
	 * Make it smaller step by step, up to where each step would let it pass.
	 */
	Scenario shrink() {
		boolean smaller = true;
		while (smaller && this.runs < MOST_RUNS) {
			smaller = steps(this.smallest).anyMatch(this::accept);
		}
		return this.smallest;
	}

	private boolean accept(Scenario candidate) {
		if (this.runs++ < MOST_RUNS && this.fails.test(candidate)) {
			this.smallest = candidate;
			return true;
		}
		return false;
	}

	private static Stream<Scenario> steps(Scenario from) {
		Stream.Builder<Scenario> steps = Stream.builder();
		long mask = from.mask();
		if (mask != 0) {
			steps.add(from.withMask(0));
			long happening = from.happening();
			if (mask != happening) {
				steps.add(from.withMask(happening));
			}
			for (int bit = Scenario.BITS - 1; bit >= 0; bit--) {
				if ((mask & 1L << bit) != 0) {
					steps.add(from.withMask(mask & ~(1L << bit)));
				}
			}
		}
		for (Trait trait : from.traits()) {
			Set<Trait> others = EnumSet.copyOf(from.traits());
			others.remove(trait);
			steps.add(from.withTraits(others));
		}
		if (from.instances() > 1) {
			steps.add(from.withInstances(from.instances() - 1));
		}
		if (from.actors() > 1) {
			steps.add(from.withActors(from.actors() - 1));
		}
		if (from.keys() > 1) {
			steps.add(from.withKeys(from.keys() - 1));
		}
		if (from.permits() > 0) {
			steps.add(from.withPermits(from.permits() - 1));
		}
		else if (from.permits() == Scenario.PERMITS_DRAWN) {
			steps.add(from.withPermits(0));
			steps.add(from.withPermits(1));
			steps.add(from.withPermits(2));
		}
		if (from.shared() == Scenario.SHARED_DRAWN) {
			steps.add(from.withShared(0));
		}
		if (from.operations() > 1) {
			steps.add(from.withOperations(from.operations() / 2));
			steps.add(from.withOperations(from.operations() - 1));
		}
		return steps.build();
	}

}
