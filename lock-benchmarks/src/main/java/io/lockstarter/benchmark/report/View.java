// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Rounds.Case;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;

/**
 * How a scenario is shown: the table and the plots.
 */
// Immutable all the same: made of List.of.
@SuppressWarnings("ImmutableEnumChecker")
enum View {

	SOLO(Scenario.SOLO, "One thread, own key", Columns.ofRate(Metric.P50, Metric.P99), List.of(Metric.CYCLES)),

	SPREAD(Scenario.SPREAD, "32 threads, own keys", Columns.ofRate(Metric.P50, Metric.P99, Metric.COMMANDS_PER_SECTION),
			List.of(Metric.CYCLES)),

	SPREAD_VIRTUAL(Scenario.SPREAD_VIRTUAL, "256 threads, own keys",
			List.of(Metric.CYCLES, Metric.SERVER_CPU_PER_CYCLE, Metric.CLIENT_CPU_PER_CYCLE, Metric.P50, Metric.P99),
			List.of(Metric.CYCLES)),

	HOT(Scenario.HOT, "One key, 32 threads of one JVM",
			Columns.ofRate(Metric.LEAST_THREAD, Metric.P50, Metric.P99, Metric.MAX, Metric.COMMANDS_PER_SECTION,
					Metric.LOST_UPDATES, Metric.SECTIONS_CHECKED),
			List.of(Metric.CYCLES)),

	HOT_JVMS(Scenario.HOT_JVMS, "One key, 4 JVMs with 8 threads each, 100 µs section", Columns.OF_HOT_JVMS,
			List.of(Metric.CYCLES, Metric.P99, Metric.COMMANDS_PER_SECTION)),

	HAND_OVER(Scenario.HAND_OVER, "Hand-over between two JVMs",
			List.of(Metric.P50, Metric.P99, Metric.MAX, Metric.TIMES, Metric.LOST_UPDATES, Metric.SECTIONS_CHECKED),
			List.of(Metric.P50, Metric.P99)),

	WAITING(Scenario.WAITING, "200 threads wait in two JVMs",
			List.of(Metric.COMMANDS_PER_SECOND, Metric.CLIENT_CPU, Metric.SERVER_CPU, Metric.LOST_UPDATES,
					Metric.SECTIONS_CHECKED),
			List.of(Metric.COMMANDS_PER_SECOND)),

	HOLDING(Scenario.HOLDING, "10,000 locks held by one JVM",
			List.of(Metric.RENEWALS, Metric.LEASES_PER_RENEWAL, Metric.LOWEST_TTL, Metric.LATE, Metric.VANISHED,
					Metric.CLIENT_CPU, Metric.SERVER_CPU),
			List.of(Metric.RENEWALS)),

	SOAK(Scenario.SOAK, "32 threads in 128 MB",
			List.of(Metric.LAST_THIRD, Metric.FIRST_THIRD, Metric.SERVER_CPU_PER_CYCLE, Metric.CLIENT_CPU_PER_CYCLE,
					Metric.HEAP_EARLIER, Metric.HEAP_LATER, Metric.GC, Metric.OUR_OBJECTS, Metric.LETTUCE_OBJECTS,
					Metric.QUEUES, Metric.SERVER_KEYS, Metric.SERVER_MEMORY),
			List.of(Metric.LAST_THIRD, Metric.HEAP_LATER)),

	GROWTH_KEYS(Scenario.GROWTH_KEYS, "Keys locked once", Columns.OF_GROWTH, List.of()),

	GROWTH_REFUSED(Scenario.GROWTH_REFUSED, "Refused tries", Columns.OF_GROWTH, List.of()),

	GROWTH_CANCELLED(Scenario.GROWTH_CANCELLED, "Cancelled requests", Columns.OF_GROWTH, List.of()),

	COLD_START(Scenario.COLD_START, "First locks of six services that start on one core",
			List.of(Metric.FIRST_LOCK_LONGEST, Metric.FIRST_LOCK, Metric.FIRST_LOCKS, Metric.FIRST_LOCKS_FAILED),
			List.of(Metric.FIRST_LOCK_LONGEST)),

	START_UP(Scenario.START_UP, "Start of a service",
			Columns.ofStart(Metric.CLASSES_ADDED, Metric.START_CLASSES_ADDED, Metric.CLASSES_OF_OTHERS,
					Metric.CLASSES_OF_SPRING, Metric.CLASSES_OF_LETTUCE, Metric.CLASSES_OF_JDK),
			List.of()),

	START_UP_EXTRACTED(Scenario.START_UP_EXTRACTED, "Start of a service whose jar is extracted", Columns.ofStart(),
			List.of()),

	START_UP_SHARED(Scenario.START_UP_SHARED, "Start of a service with an archive of its classes", Columns.ofStart(),
			List.of()),

	PERMITS_FREE(Scenario.PERMITS_FREE, "Permits, one thread", Columns.ofRate(Metric.P50, Metric.P99), List.of()),

	PERMITS(Scenario.PERMITS, "Five permits, 4 JVMs with 8 threads each", Columns.ofRate(Metric.P50, Metric.P99),
			List.of()),

	READ_FREE(Scenario.READ_FREE, "Read lock, one thread", Columns.ofRate(Metric.P50, Metric.P99), List.of()),

	READ_WRITE(Scenario.READ_WRITE, "95 % reads, 4 JVMs with 8 threads each, no section", Columns.OF_READ_WRITE,
			List.of()),

	READ_WRITE_1MS(Scenario.READ_WRITE_1MS, "95 % reads, 4 JVMs with 8 threads each, 1 ms section",
			Columns.OF_READ_WRITE, List.of()),

	READERS_ENTER(Scenario.READERS_ENTER, "1,000 threads of 4 JVMs that wait to read", Columns.OF_ENTRIES, List.of()),

	WRITER_ENTERS(Scenario.WRITER_ENTERS, "A writer among endless readers, 4 JVMs with 8 threads each",
			Columns.OF_ENTRIES, List.of()),

	SPREAD_CLUSTER(Scenario.SPREAD_CLUSTER, "Cluster, 32 threads, own keys",
			Columns.ofRate(Metric.P50, Metric.P99, Metric.COMMANDS_PER_SECTION), List.of(Metric.CYCLES)),

	HOT_JVMS_CLUSTER(Scenario.HOT_JVMS_CLUSTER, "Cluster, one key, 4 JVMs with 8 threads each, 100 µs section",
			Columns.OF_HOT_JVMS, List.of(Metric.CYCLES, Metric.P99)),

	HAND_OVER_CLUSTER(Scenario.HAND_OVER_CLUSTER, "Cluster, hand-over between two JVMs",
			List.of(Metric.P50, Metric.P99, Metric.MAX, Metric.TIMES, Metric.SERVER_CPU_PER_CYCLE,
					Metric.CLIENT_CPU_PER_CYCLE, Metric.LOST_UPDATES, Metric.SECTIONS_CHECKED),
			List.of(Metric.P50, Metric.P99)),

	QUORUM_SOLO(Scenario.QUORUM_SOLO, "Quorum, one thread, own key", Columns.OF_QUORUM, List.of(Metric.P50)),

	QUORUM_SPREAD(Scenario.QUORUM_SPREAD, "Quorum, 32 threads, own keys",
			Columns.ofRate(Metric.P50, Metric.P99, Metric.COMMANDS_PER_SECTION), List.of(Metric.CYCLES)),

	QUORUM_HAND_OVER(Scenario.QUORUM_HAND_OVER, "Quorum, hand-over between two JVMs", HAND_OVER_CLUSTER.columns,
			List.of(Metric.P50, Metric.P99)),

	QUORUM_FROZEN(Scenario.QUORUM_FROZEN, "Quorum, one of three servers frozen", Columns.OF_QUORUM, List.of()),

	QUORUM_KILLED(Scenario.QUORUM_KILLED, "Quorum, one of three servers killed", Columns.OF_QUORUM, List.of());

	private final Scenario scenario;

	private final String title;

	private final List<Metric> columns;

	private final List<Metric> plots;

	View(Scenario scenario, String title, List<Metric> columns, List<Metric> plots) {
		this.scenario = scenario;
		this.title = title;
		this.columns = columns;
		this.plots = plots;
	}

	/**
	 * Return the name in the template.
	 * @return the id
	 */
	String id() {
		return this.scenario.id();
	}

	Scenario scenario() {
		return this.scenario;
	}

	List<Metric> plots() {
		return this.plots;
	}

	String title(Metric metric) {
		return this.title + ": " + metric.header();
	}

	String file(Metric metric) {
		return id() + "-" + metric.id() + ".svg";
	}

	/**
	 * Return the table.
	 * @param results the figures
	 * @return a Markdown table
	 */
	String table(Results results) {
		Rounds rounds = results.of(this.scenario);
		if (rounds.cases().isEmpty()) {
			return Report.NOT_MEASURED;
		}
		Metric main = this.columns.get(0);
		List<String> lines = new ArrayList<>();
		String ratioHeader = isCompared() ? " %s |".formatted(ratioHeader(main)) : "";
		lines.add(this.columns.stream()
			.map(Metric::header)
			.collect(Collectors.joining(" | ", "| | ", " |" + ratioHeader)));
		lines.add("|---|" + "--:|".repeat(this.columns.size() + (isCompared() ? 1 : 0)));
		OptionalDouble ours = rounds.get(new Case(this.scenario, Contender.STARTER, ThreadKind.PLATFORM), main);
		for (Case subject : rounds.cases()) {
			lines.add(row(rounds, subject, ours));
		}
		return String.join("\n", lines);
	}

	BarChart chart(Results results, Metric metric) {
		BarChart chart = new BarChart(title(metric), metric.header());
		Rounds rounds = results.of(this.scenario);
		for (Case subject : rounds.cases()) {
			rounds.get(subject, metric)
				.ifPresent((value) -> chart.add(subject.label(), value, metric.format(value),
						subject.contender().isOurs()));
		}
		return chart;
	}

	private String row(Rounds rounds, Case subject, OptionalDouble ours) {
		StringBuilder row = new StringBuilder("| " + subject.label());
		for (Metric metric : this.columns) {
			row.append(" | ").append(cell(rounds, subject, metric));
		}
		if (isCompared()) {
			row.append(" | ").append(ratio(ours, rounds.get(subject, this.columns.get(0))));
		}
		return row.append(" |").toString();
	}

	private boolean isCompared() {
		return this.scenario.contenders().size() > 1 && this.scenario.times() == 0;
	}

	private static boolean isRate(Metric metric) {
		return metric == Metric.CYCLES || metric == Metric.LAST_THIRD;
	}

	private static String cell(Rounds rounds, Case subject, Metric metric) {
		OptionalDouble value = rounds.get(subject, metric);
		if (value.isPresent()) {
			return metric.format(value.getAsDouble());
		}
		return rounds.get(subject, Metric.FAILED).isPresent() ? "failed" : "–";
	}

	private static String ratioHeader(Metric main) {
		return isRate(main) ? "lock-starter ÷ this row" : "this row ÷ lock-starter";
	}

	private String ratio(OptionalDouble ours, OptionalDouble other) {
		if (ours.isEmpty() || other.isEmpty()) {
			return "–";
		}
		double ratio = isRate(this.columns.get(0)) ? ours.getAsDouble() / other.getAsDouble()
				: other.getAsDouble() / ours.getAsDouble();
		return String.format(Locale.ROOT, (ratio >= 100) ? "%,.0f" : "%,.2f", ratio);
	}

	private static final class Columns {

		static final List<Metric> OF_HOT_JVMS = ofRate(Metric.IN_USE, Metric.LEAST_JVM, Metric.P50, Metric.P99,
				Metric.MAX, Metric.COMMANDS_PER_SECTION, Metric.LOST_UPDATES, Metric.SECTIONS_CHECKED);

		static final List<Metric> OF_READ_WRITE = ofRate(Metric.LEAST_JVM, Metric.P50, Metric.P99, Metric.MAX,
				Metric.COMMANDS_PER_SECTION, Metric.LOST_UPDATES, Metric.SECTIONS_CHECKED);

		static final List<Metric> OF_ENTRIES = List.of(Metric.P99, Metric.P50, Metric.MAX, Metric.TIMES);

		static final List<Metric> OF_GROWTH = List.of(Metric.COUNT, Metric.PER_SECOND, Metric.HEAP_MORE,
				Metric.OUR_OBJECTS, Metric.LETTUCE_OBJECTS, Metric.QUEUES, Metric.MORE_THREADS, Metric.SERVER_KEYS,
				Metric.SERVER_KEYS_FOR_EVER, Metric.SERVER_KEYS_EXPIRE, Metric.SERVER_MEMORY);

		static final List<Metric> OF_QUORUM = List.of(Metric.P50, Metric.P99, Metric.MAX, Metric.CYCLES,
				Metric.SERVER_CPU_PER_CYCLE, Metric.CLIENT_CPU_PER_CYCLE);

		static List<Metric> ofStart(Metric... more) {
			return Stream
				.concat(Stream.of(Metric.CPU_ADDED, Metric.START_CPU_ADDED, Metric.START_MAIN_CPU_ADDED, Metric.ADDED,
						Metric.START, Metric.START_WITH_STARTER), Stream.of(more))
				.toList();
		}

		// What a cycle costs stands beside how many there are: it says where a difference
		// comes from.
		static List<Metric> ofRate(Metric... more) {
			return Stream
				.concat(Stream.of(Metric.CYCLES, Metric.SERVER_CPU_PER_CYCLE, Metric.CLIENT_CPU_PER_CYCLE,
						Metric.ALLOCATED), Stream.of(more))
				.toList();
		}

	}

}
