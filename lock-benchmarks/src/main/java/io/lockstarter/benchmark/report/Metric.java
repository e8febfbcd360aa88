// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * What is observed.
 */
public enum Metric {

	CYCLES("cycles/s", 0, Over.MEDIAN),

	SERVER_CPU_PER_CYCLE("Redis CPU a cycle, µs", 1, Over.MEDIAN),

	CLIENT_CPU_PER_CYCLE("JVM CPU a cycle, µs", 1, Over.MEDIAN),

	ALLOCATED("bytes allocated a cycle", 0, Over.MEDIAN),

	IN_USE("in use, % of the time", 1, Over.MEDIAN),

	LEAST_THREAD("least/most served thread", 3, Over.MEDIAN),

	LEAST_JVM("least/most served JVM", 3, Over.MEDIAN),

	P50("p50, µs", 0, Over.MEDIAN),

	P99("p99, µs", 0, Over.MEDIAN),

	MAX("longest, µs", 0, Over.MAXIMUM),

	TIMES("samples in a round", 0, Over.MEDIAN),

	COMMANDS_PER_SECTION("Redis commands per section", 2, Over.MEDIAN),

	COMMANDS_PER_SECOND("Redis commands/s", 1, Over.MEDIAN),

	RENEWALS("renewal commands per interval", 0, Over.MEDIAN),

	LEASES_PER_RENEWAL("leases per renewal command", 0, Over.MEDIAN),

	LOWEST_TTL("lowest ttl seen, s", 1, Over.MINIMUM),

	LATE("renewed late", 0, Over.SUM),

	VANISHED("expired", 0, Over.SUM),

	LOST_UPDATES("lost updates", 0, Over.SUM),

	SECTIONS_CHECKED("of sections", 0, Over.SUM),

	TOKEN_BREACHES("tokens that did not grow", 0, Over.SUM),

	STUCK("threads that never got it", 0, Over.SUM),

	CLIENT_CPU("client CPU, % of a core", 1, Over.MEDIAN),

	SERVER_CPU("server CPU, % of a core", 1, Over.MEDIAN),

	FIRST_THIRD("cycles/s, first third", 0, Over.MEDIAN),

	LAST_THIRD("cycles/s, last third", 0, Over.MEDIAN),

	HEAP_EARLIER("live heap after a third, MB", 1, Over.MAXIMUM),

	HEAP_LATER("live heap in the end, MB", 1, Over.MAXIMUM),

	GC("garbage collection, % of the time", 1, Over.MAXIMUM),

	COUNT("times", 0, Over.MAXIMUM),

	PER_SECOND("a second", 0, Over.MEDIAN),

	HEAP_MORE("more live heap, kB", 0, Over.MAXIMUM),

	MORE_THREADS("more threads", 0, Over.MAXIMUM),

	OUR_OBJECTS("more objects of lock-starter", 0, Over.MAXIMUM),

	LETTUCE_OBJECTS("more objects of Lettuce", 0, Over.MAXIMUM),

	QUEUES("local queues left", 0, Over.MAXIMUM),

	SERVER_KEYS("keys in Redis", 0, Over.MAXIMUM),

	SERVER_KEYS_FOR_EVER("of these without expiry", 0, Over.MAXIMUM),

	SERVER_KEYS_EXPIRE("the others expire within, s", 0, Over.MAXIMUM),

	SERVER_MEMORY("more memory of Redis, MB", 1, Over.MAXIMUM),

	FIRST_LOCK("first lock, median, ms", 0, Over.MEDIAN),

	FIRST_LOCK_LONGEST("first lock, longest, ms", 0, Over.MEDIAN),

	FIRST_LOCKS("first locks", 0, Over.SUM),

	FIRST_LOCKS_FAILED("failed", 0, Over.SUM),

	START("start without it, ms", 0, Over.MEDIAN),

	START_WITH_STARTER("start with it, ms", 0, Over.MEDIAN),

	ADDED("added, ms", 0, Over.MEDIAN),

	CPU_ADDED("CPU added with a first lock, ms", 0, Over.MEDIAN),

	START_CPU_ADDED("CPU added until it has started, ms", 0, Over.MEDIAN),

	START_MAIN_CPU_ADDED("of it the main thread, ms", 0, Over.MEDIAN),

	CLASSES_ADDED("more classes with a first lock", 0, Over.MEDIAN),

	START_CLASSES_ADDED("more classes until it has started", 0, Over.MEDIAN),

	CLASSES_OF_JDK("of the JDK", 0, Over.MEDIAN),

	CLASSES_OF_SPRING("of Spring", 0, Over.MEDIAN),

	CLASSES_OF_LETTUCE("of Lettuce and Netty", 0, Over.MEDIAN),

	CLASSES_OF_OTHERS("of its own", 0, Over.MEDIAN),

	FAILED("failed rounds", 0, Over.SUM);

	private final String header;

	private final int decimals;

	private final Over over;

	Metric(String header, int decimals, Over over) {
		this.header = header;
		this.decimals = decimals;
		this.over = over;
	}

	/**
	 * Return the metric of an {@link #id()}.
	 * @param id the id
	 * @return the metric
	 */
	static Metric of(String id) {
		return Arrays.stream(values())
			.filter((metric) -> metric.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown metric: " + id));
	}

	/**
	 * Return the name in files.
	 * @return the id
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Return a value as text.
	 * @param value the value
	 * @return the text
	 */
	public String format(double value) {
		return String.format(Locale.ROOT, "%,." + this.decimals + "f", value);
	}

	String header() {
		return this.header;
	}

	/**
	 * Return the one figure that stands for all rounds.
	 * @param values those of the rounds, at least one
	 * @return the figure
	 */
	double over(List<Double> values) {
		return switch (this.over) {
			case MEDIAN -> median(values);
			case MINIMUM -> Collections.min(values);
			case MAXIMUM -> Collections.max(values);
			case SUM -> values.stream().mapToDouble(Double::doubleValue).sum();
		};
	}

	private static double median(List<Double> values) {
		List<Double> sorted = values.stream().sorted().toList();
		int middle = sorted.size() / 2;
		return (sorted.size() % 2 == 1) ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
	}

	/**
	 * What stands for all rounds.
	 */
	private enum Over {

		MEDIAN, MINIMUM, MAXIMUM, SUM

	}

}
