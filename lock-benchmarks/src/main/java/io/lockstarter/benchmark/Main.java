// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.benchmark.driver.Driver;
import io.lockstarter.benchmark.driver.Options;
import io.lockstarter.benchmark.jmh.MicroBenchmarks;
import io.lockstarter.benchmark.report.Report;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.worker.Worker;

/**
 * The command line, see {@code run.sh}.
 */
public final class Main {

	/**
	 * The first argument of a measured JVM.
	 */
	public static final String WORKER = "worker";

	private static final String USAGE = """
			usage: run.sh [options]             measure the scenarios, side by side with the peers
			       run.sh soak [options]        32 threads in little memory, for 5 minutes each
			       run.sh growth [options]      what stays behind after very many locks
			       run.sh cold-start [options]  the first lock of services that start at once on one core
			       run.sh startup [options]     what lock-starter adds to the start of a service
			       run.sh cluster [options]     spread, hot-jvms and hand-over in a cluster of 3 primaries and 3 replicas
			       run.sh quorum [options]      solo, spread and hand-over on 3 servers that vote, also with one frozen or killed
			       run.sh permits [options]     five permits of a key, beside Redisson's expirable semaphore
			       run.sh readwrite [options]   a key that many read and few write, beside Redisson's read/write lock
			       run.sh jmh [args]            measure the in-process parts with JMH
			       run.sh report                write docs/internals/benchmarks.md from the last results
			options:
			"""
			+ Options.USAGE;

	private static final Path DOCS = Path.of("docs/internals");

	private Main() {
	}

	/**
	 * Run.
	 * @param arguments what to do
	 * @throws Exception if it fails
	 */
	@SuppressWarnings("SystemOut")
	public static void main(String[] arguments) throws Exception {
		List<String> all = new ArrayList<>(List.of(arguments));
		String command = (all.isEmpty() || all.get(0).startsWith("--")) ? "measure" : all.remove(0);
		try {
			run(command, all);
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			System.err.print(USAGE);
			System.exit(1);
		}
	}

	private static List<String> defaults(String command) {
		return switch (command) {
			case "soak" -> List.of("--scenario", "soak", "--rounds", "1", "--seconds", "300");
			case "growth" -> List.of("--scenario", "growth-keys", "--scenario", "growth-refused", "--scenario",
					"growth-cancelled", "--rounds", "1", "--warmup", "0");
			case "cold-start" -> List.of("--scenario", "cold-start");
			case "startup" -> List.of("--scenario", "start-up", "--scenario", "start-up-extracted", "--scenario",
					"start-up-shared", "--rounds", "9");
			case "permits" -> List.of("--scenario", "permits-free", "--scenario", "permits");
			case "readwrite" -> List.of("--scenario", "read-free", "--scenario", "read-write", "--scenario",
					"read-write-1ms", "--scenario", "readers-enter", "--scenario", "writer-enters");
			case "cluster" -> List.of("--scenario", "spread-cluster", "--scenario", "hot-jvms-cluster", "--scenario",
					"hand-over-cluster");
			case "quorum" ->
				Scenario.IN_QUORUM.stream().flatMap((scenario) -> Stream.of("--scenario", scenario.id())).toList();
			default -> List.of();
		};
	}

	@SuppressWarnings("SystemOut")
	private static void run(String command, List<String> arguments) throws Exception {
		switch (command) {
			case "measure" -> new Driver(Options.parse(arguments), System.out).run();
			case "soak", "growth", "cold-start", "startup", "permits", "readwrite", "cluster", "quorum" -> {
				List<String> all = new ArrayList<>(defaults(command));
				all.addAll(arguments);
				new Driver(Options.parse(all), System.out).run();
			}
			case "jmh" -> MicroBenchmarks.run(arguments, Options.parse(List.of()).results());
			case "report" -> Report.write(Options.parse(arguments).results(), DOCS);
			case WORKER -> Worker.run(Assignment.parse(arguments));
			default -> throw new IllegalArgumentException("Unknown command: " + command);
		}
	}

}
