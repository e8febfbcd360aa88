// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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

	private @Nullable Long seed;

	private boolean trace;

	private boolean twice;

	private @Nullable String planted;

	private Scenario scenario = Scenario.of(1, Topology.ONE);

	private final List<Topology> topologies = new ArrayList<>();

	private Simulation(String... args) {
		for (int i = 0; i < args.length; i++) {
			if (args[i].equals("--trace")) {
				this.trace = true;
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
			case "--seed" -> this.seed = Long.parseLong(value);
			case "--topology" -> this.topologies.add(Topology.valueOf(constant(value)));
			case "--planted" -> this.planted = value;
			case "--instances" -> this.scenario = this.scenario.withInstances(Integer.parseInt(value));
			case "--actors" -> this.scenario = this.scenario.withActors(Integer.parseInt(value));
			case "--keys" -> this.scenario = this.scenario.withKeys(Integer.parseInt(value));
			case "--operations" -> this.scenario = this.scenario.withOperations(Integer.parseInt(value));
			case "--permits" -> this.scenario = this.scenario.withPermits(Integer.parseInt(value));
			case "--shared" -> this.scenario = this.scenario.withShared(Integer.parseInt(value));
			case "--retained" -> this.scenario = this.scenario.withRetained(Integer.parseInt(value));
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

	private static String constant(String name) {
		return name.toUpperCase(Locale.ROOT).replace('-', '_');
	}

	public static void main(String... args) throws IOException, InterruptedException {
		if (List.of(args).contains("--plants")) {
			System.exit(PlantTable.run(Stream.of(args).filter((each) -> !each.equals("--plants")).toList()));
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
		long first = (this.seed != null) ? this.seed : 1;
		long count = (this.seeds >= 0) ? this.seeds : (this.seed != null) ? 1 : 1000;
		long done = 0;
		long steps = 0;
		int violations = 0;
		while (done < count && (System.nanoTime() - start) / 1_000_000_000 < this.seconds) {
			Topology topology = this.topologies.get((int) (done % this.topologies.size()));
			Scenario each = this.scenario.withTopology(topology).withSeed(first + done);
			Run run = Run.of(each, this.trace);
			if (this.twice && Run.of(each, false).world().digest() != run.world().digest()) {
				System.out.println("seed " + each.seed() + " is not the same twice: " + each.options());
				violations++;
			}
			done++;
			steps += run.world().steps();
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
		// By the time of the processor, of which others may have their part.
		System.out.printf(Locale.ROOT, "seeds=%d steps=%d seeds_per_second=%.0f violations=%d%n", done, steps,
				done / busy, violations);
		return violations == 0;
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
