// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts and measures, and says so. Thread-safe.
 */
final class TortureReport {

	private final Map<String, Long> counts = new TreeMap<>();

	private final Map<String, List<Long>> times = new TreeMap<>();

	private final List<String> failures = new ArrayList<>();

	synchronized void count(String what) {
		count(what, 1);
	}

	synchronized void count(String what, long number) {
		this.counts.merge(what, number, Long::sum);
	}

	synchronized long counted(String what) {
		return this.counts.getOrDefault(what, 0L);
	}

	synchronized void time(String what, long nanos) {
		this.times.computeIfAbsent(what, (absent) -> new ArrayList<>()).add(nanos);
	}

	/**
	 * Return the times that were measured.
	 * @return nanoseconds, in order
	 */
	synchronized long[] times(String what) {
		return this.times.getOrDefault(what, List.of()).stream().mapToLong(Long::longValue).sorted().toArray();
	}

	synchronized void fail(String why) {
		this.failures.add(why);
	}

	/**
	 * Fail unless something holds.
	 */
	synchronized void require(boolean holds, String why) {
		if (!holds) {
			fail(why);
		}
	}

	synchronized List<String> failures() {
		return List.copyOf(this.failures);
	}

	synchronized void print(PrintStream out) {
		this.counts.forEach((what, number) -> out.printf("%-58s %,10d%n", what, number));
		this.times.keySet().forEach((what) -> printTimes(out, what));
		this.failures.forEach((failure) -> out.println("FAILED: " + failure));
	}

	private void printTimes(PrintStream out, String what) {
		long[] sorted = times(what);
		out.printf("%-58s %,10d: min %s, p1 %s, p50 %s, p99 %s, max %s ms%n", what, sorted.length,
				millis(percentile(sorted, 0)), millis(percentile(sorted, 0.01)), millis(percentile(sorted, 0.5)),
				millis(percentile(sorted, 0.99)), millis(percentile(sorted, 1)));
	}

	static long percentile(long[] sorted, double part) {
		return sorted[(int) Math.max(0, Math.ceil(part * sorted.length) - 1)];
	}

	private static String millis(long nanos) {
		return "%.1f".formatted(nanos / 1e6);
	}

	/**
	 * What the outcome of a run depends on.
	 *
	 * @param length how long faults are injected
	 * @param seed what the order of faults and the choices of workers follow
	 * @param jvms how many JVMs
	 * @param keys how many keys
	 * @param ttl the ttl of all locks
	 * @param verbose whether each fault is printed
	 */
	record Plan(Duration length, long seed, int jvms, int keys, Duration ttl, boolean verbose) {

		static Plan of(String... args) {
			Map<String, String> options = new TreeMap<>(Map.of("--seconds", "60", "--seed",
					String.valueOf(System.nanoTime() % 1_000_000), "--jvms", "4", "--keys", "50", "--ttl", "1500"));
			for (int i = 0; i < args.length; i += 2) {
				if (i + 1 == args.length || options.replace(args[i], args[i + 1]) == null) {
					throw new IllegalArgumentException(
							"Options are %s, each followed by a number (ttl in ms)".formatted(options.keySet()));
				}
			}
			return new Plan(Duration.ofSeconds(number(options, "--seconds")), number(options, "--seed"),
					(int) number(options, "--jvms"), (int) number(options, "--keys"),
					Duration.ofMillis(number(options, "--ttl")), true);
		}

		private static long number(Map<String, String> options, String name) {
			return Long.parseLong(options.getOrDefault(name, ""));
		}

	}

}
