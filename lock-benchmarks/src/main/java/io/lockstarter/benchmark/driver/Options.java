// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.scenario.Scenario;

/**
 * What to measure, and for how long.
 *
 * @param scenarios what to measure
 * @param contenders who takes part, as far as the scenario admits him
 * @param rounds how often
 * @param warmup how long to warm up in each round
 * @param measure how long to measure in each round
 * @param ttl how long a lock outlives its holder
 * @param count how often to do what is counted; zero for as often as the scenario says
 * @param jvmArguments further arguments of the measured JVMs
 * @param results where the results go
 * @param services where the executable jars are that are started
 */
public record Options(Set<Scenario> scenarios, Set<Contender> contenders, int rounds, Duration warmup, Duration measure,
		Duration ttl, int count, List<String> jvmArguments, Path results, Path services) {

	/**
	 * The arguments that there are.
	 */
	public static final String USAGE = """
			  --quick              one short round of everything: to see that it runs, not to compare
			  --scenario <name>    only this one; may be repeated
			  --contender <name>   only this one; may be repeated
			  --rounds <number>    default 4; an even number is fair to all
			  --warmup <seconds>   in each round, default 10; with several JVMs five times as long
			  --measure <seconds>  in each round, default 3; or --seconds
			  --count <number>     of what growth counts, instead of a million, 200,000 and 100,000
			  --ttl <seconds>      of the locks, default 30
			  --jvm-arg <argument> of the measured JVMs; may be repeated
			  --results <folder>   default lock-benchmarks/target/benchmarks
			  --services <folder>  with the executable jars, default lock-benchmarks/target
			""";

	private static final int LONGER_WITH_SEVERAL_JVMS = 5;

	/**
	 * Read a command line.
	 * @param arguments the arguments
	 * @return the options
	 * @throws IllegalArgumentException if they cannot be understood
	 */
	public static Options parse(List<String> arguments) {
		Parser parser = new Parser();
		Iterator<String> rest = arguments.iterator();
		while (rest.hasNext()) {
			parser.accept(rest.next(), rest);
		}
		return parser.options();
	}

	/**
	 * Return how often to do what is counted.
	 * @param scenario in which scenario
	 * @return the number of times
	 */
	public int times(Scenario scenario) {
		return (this.count > 0) ? this.count : scenario.times();
	}

	/**
	 * Return how long to warm up. JVMs that share a lock do little each while they share
	 * the cores for compiling, and take several times as long as one alone until nothing
	 * is left to compile.
	 * @param scenario in which scenario
	 * @return for how long
	 */
	public Duration warmup(Scenario scenario) {
		return (scenario.load().jvms() > 1) ? this.warmup.multipliedBy(LONGER_WITH_SEVERAL_JVMS) : this.warmup;
	}

	private static final class Parser {

		private final Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);

		private final Set<Contender> contenders = EnumSet.noneOf(Contender.class);

		private final List<String> jvmArguments = new ArrayList<>();

		private int rounds = 4;

		private Duration warmup = Duration.ofSeconds(10);

		private Duration measure = Duration.ofSeconds(3);

		private Duration ttl = Duration.ofSeconds(30);

		private int count;

		private Path services = Path.of("lock-benchmarks", "target");

		private Path results = Path.of("lock-benchmarks", "target", "benchmarks");

		void accept(String option, Iterator<String> rest) {
			try {
				switch (option) {
					case "--quick" -> quick();
					case "--scenario" -> this.scenarios.add(Scenario.of(rest.next()));
					case "--contender" -> this.contenders.add(Contender.of(rest.next()));
					case "--rounds" -> this.rounds = Integer.parseInt(rest.next());
					case "--warmup" -> this.warmup = seconds(rest.next());
					case "--measure", "--seconds" -> this.measure = seconds(rest.next());
					case "--ttl" -> this.ttl = seconds(rest.next());
					case "--count" -> this.count = Integer.parseInt(rest.next());
					case "--services" -> this.services = Path.of(rest.next());
					case "--jvm-arg" -> this.jvmArguments.add(rest.next());
					case "--results" -> this.results = Path.of(rest.next());
					default -> throw new IllegalArgumentException("Unknown option: " + option);
				}
			}
			catch (NoSuchElementException ex) {
				throw new IllegalArgumentException("Value missing after " + option, ex);
			}
		}

		Options options() {
			for (Scenario scenario : this.scenarios) {
				if (Scenario.IN_CLUSTER.contains(scenario)) {
					check(scenario, "a Redis Cluster");
				}
				else if (Scenario.IN_QUORUM.contains(scenario)) {
					// With a server down, not everybody of these takes part.
					check(Scenario.QUORUM_SOLO, "a quorum");
				}
			}
			return new Options(this.scenarios.isEmpty() ? EnumSet.copyOf(Scenario.REGULAR) : this.scenarios,
					this.contenders.isEmpty() ? EnumSet.allOf(Contender.class) : this.contenders, this.rounds,
					this.warmup, this.measure, this.ttl, this.count, this.jvmArguments, this.results, this.services);
		}

		// Elsewhere somebody may be left out: he takes part in another scenario.
		private void check(Scenario scenario, String where) {
			Set<Contender> able = scenario.contenders();
			for (Contender contender : this.contenders) {
				if (!able.contains(contender)) {
					throw new IllegalArgumentException("%s is not measured in %s. Contenders of %s: %s"
						.formatted(contender.id(), where, scenario.id(), able.stream().map(Contender::id).toList()));
				}
			}
		}

		private void quick() {
			this.rounds = 1;
			this.warmup = Duration.ofSeconds(1);
			this.measure = Duration.ofSeconds(1);
			this.ttl = Duration.ofSeconds(6);
		}

		private static Duration seconds(String text) {
			return Duration.ofMillis(Math.round(1000 * Double.parseDouble(text)));
		}

	}

}
