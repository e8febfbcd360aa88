// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Runs one seed after the other. To be started by {@code simulate.sh}, which says what
 * its options are.
 */
final class Simulation {

	private static final int MOST_SHOWN = 5;

	// negative if it was not said
	private long seeds = -1;

	private long seconds = Long.MAX_VALUE;

	private long processorSeconds = Long.MAX_VALUE;

	private @Nullable Long seed;

	private boolean trace;

	private boolean twice;

	private @Nullable String planted;

	private Scenario scenario = Scenario.of(1, Topology.ONE);

	// sizes and traits, which seeds draw otherwise
	private final List<UnaryOperator<Scenario>> said = new ArrayList<>();

	private final Set<Trait> traits = EnumSet.noneOf(Trait.class);

	private boolean varied;

	private final List<Topology> topologies = new ArrayList<>();

	Simulation(String... args) {
		for (int i = 0; i < args.length; i++) {
			if (args[i].equals("--trace")) {
				this.trace = true;
			}
			else if (args[i].equals("--varied")) {
				this.varied = true;
			}
			else if (args[i].equals("--twice")) {
				this.twice = true;
			}
			else if (i + 1 == args.length) {
				throw new IllegalArgumentException("No value for " + args[i]);
			}
			else {
				option(args[i], args[++i]);
			}
		}
		if (this.topologies.isEmpty()) {
			this.topologies.addAll(List.of(Topology.values()));
		}
	}

	private void option(String name, String value) {
		switch (name) {
			case "--seeds" -> this.seeds = Long.parseLong(value);
			case "--seconds" -> {
				this.seconds = Long.parseLong(value);
				this.seeds = Long.MAX_VALUE;
			}
			case "--processor-seconds" -> {
				this.processorSeconds = Long.parseLong(value);
				this.seeds = Long.MAX_VALUE;
			}
			case "--seed" -> this.seed = Long.parseLong(value);
			case "--topology" -> this.topologies.add(Topology.valueOf(constant(value)));
			case "--planted" -> this.planted = value;
			case "--instances" -> this.scenario = this.scenario.withInstances(Integer.parseInt(value));
			case "--actors" -> said((each) -> each.withActors(Integer.parseInt(value)));
			case "--keys" -> said((each) -> each.withKeys(Integer.parseInt(value)));
			case "--operations" -> said((each) -> each.withOperations(Integer.parseInt(value)));
			case "--with" -> {
				this.traits.add(Trait.valueOf(constant(value)));
				said((each) -> each.withTraits(this.traits));
			}
			case "--permits" -> this.scenario = this.scenario.withPermits(Integer.parseInt(value));
			case "--shared" -> this.scenario = this.scenario.withShared(Integer.parseInt(value));
			case "--vanishing" -> this.scenario = this.scenario.withVanishing(Integer.parseInt(value));
			case "--mask" -> this.scenario = this.scenario.withMask(Long.parseLong(value, 16));
			case "--without" -> {
				Set<Fault> without = EnumSet.noneOf(Fault.class);
				without.addAll(this.scenario.without());
				without.add(Fault.valueOf(constant(value)));
				this.scenario = this.scenario.withoutFaults(without);
			}
			default -> throw new IllegalArgumentException("No such option: " + name);
		}
	}

	private void said(UnaryOperator<Scenario> change) {
		this.said.add(change);
	}

	private static String constant(String name) {
		return name.toUpperCase(Locale.ROOT).replace('-', '_');
	}

	public static void main(String... args) throws IOException, InterruptedException {
		if (List.of(args).contains("--plants")) {
			System.exit(PlantTable.run(Stream.of(args).filter((each) -> !each.equals("--plants")).toList()));
		}
		if (List.of(args).contains("--coverage")) {
			Coverage.run(Stream.of(args).filter((each) -> !each.equals("--coverage")).toList());
			return;
		}
		int plant = List.of(args).indexOf("--plant");
		if (plant < 0) {
			System.exit(new Simulation(args).run() ? 0 : 1);
		}
		List<String> others = new ArrayList<>(List.of(args));
		others.remove(plant);
		System.exit(Plants.run(others.remove(plant), others));
	}

	private boolean run() {
		long start = System.nanoTime();
		long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
		long count = (this.seeds >= 0) ? this.seeds : (this.seed != null) ? 1 : 1000;
		long done = 0;
		long steps = 0;
		int violations = 0;
		Reach reach = new Reach();
		while (done < count && (System.nanoTime() - start) / 1_000_000_000 < this.seconds
				&& (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu)
						/ 1_000_000_000 < this.processorSeconds) {
			Scenario each = scenario(done);
			Run run = Run.of(each, this.trace);
			if (this.twice && Run.of(each, false).world().digest() != run.world().digest()) {
				System.out.println("seed " + each.seed() + " is not the same twice: " + each.options());
				violations++;
			}
			done++;
			steps += run.world().steps();
			reach.add(run.reach());
			if (this.trace) {
				run.world().traced().forEach(System.out::println);
				System.out.printf("digest %016x%n", run.world().digest());
			}
			if (!run.violations().isEmpty()) {
				violations++;
				if (violations <= MOST_SHOWN) {
					show(run);
				}
				if (this.planted != null) {
					System.out.printf("planted bug '%s' found by %s after %d seeds%n", this.planted,
							run.violations().get(0).rule(), done);
					break;
				}
			}
		}
		double elapsed = (System.nanoTime() - start) / 1e9;
		double busy = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e9;
		System.out.printf(Locale.ROOT, "%.1f s, of which %.1f s on a processor%n", elapsed, busy);
		System.out.println(reach);
		// By the time of the processor, of which others may have their part.
		System.out.printf(Locale.ROOT, "seeds=%d steps=%d seeds_per_second=%.0f violations=%d%n", done, steps,
				done / busy, violations);
		return violations == 0;
	}

	/**
	 * Return one of the scenarios that it runs.
	 * @param number how many come before it
	 */
	Scenario scenario(long number) {
		Topology topology = this.topologies.get((int) (number % this.topologies.size()));
		long first = (this.seed != null) ? this.seed : 1;
		Scenario plain = this.scenario.withTopology(topology).withSeed(first + number);
		Scenario each = this.varied ? plain.varied() : this.said.isEmpty() ? plain.variedAtTimes() : plain;
		for (UnaryOperator<Scenario> change : this.said) {
			each = change.apply(each);
		}
		return each;
	}

	private void show(Run run) {
		System.out.println("seed " + run.scenario().seed() + ": " + run.violations().get(0));
		System.out.println("  " + run.scenario().options());
		if (this.planted != null || this.trace) {
			return;
		}
		Scenario smaller = new Shrinker(run).shrink();
		System.out.println("shrunk to: " + smaller.options());
		Run.of(smaller, true).world().traced().forEach(System.out::println);
	}

}
