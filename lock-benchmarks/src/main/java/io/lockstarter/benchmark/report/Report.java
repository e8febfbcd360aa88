// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lockstarter.benchmark.scenario.Scenario;

/**
 * Writes {@code benchmarks.md} and its plots: the prose of a template with the figures of
 * the last run.
 */
public final class Report {

	static final String NOT_MEASURED = "*Not measured in this run.*";

	private static final String PLOTS = "benchmarks";

	private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([a-z0-9:-]+)}}");

	private final Results results;

	private final Path docs;

	private Report(Results results, Path docs) {
		this.results = results;
		this.docs = docs;
	}

	/**
	 * Write the report.
	 * @param results where the results of the rounds are
	 * @param docs where to write to
	 */
	public static void write(Path results, Path docs) {
		try {
			new Report(Results.load(results), docs).write();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void write() throws IOException {
		Files.createDirectories(this.docs.resolve(PLOTS));
		Map<String, String> values = new LinkedHashMap<>();
		values.put("machine", machine());
		values.put("goals", goals());
		values.put("missed", missed());
		values.put("jmh", this.results.micro().table());
		for (View view : View.values()) {
			values.put("table:" + view.id(), view.table(this.results));
			values.put("plots:" + view.id(), plots(view));
			values.put("run:" + view.id(), run(view));
			values.put("seconds:" + view.id(), this.results.of(view.scenario()).fact("measure"));
		}
		String text = PLACEHOLDER.matcher(template())
			.replaceAll((match) -> Matcher.quoteReplacement(value(values, match.group(1))));
		Files.writeString(this.docs.resolve("benchmarks.md"), text);
	}

	private String plots(View view) throws IOException {
		StringBuilder links = new StringBuilder();
		for (Metric metric : view.plots()) {
			BarChart chart = view.chart(this.results, metric);
			if (!chart.isEmpty()) {
				Files.writeString(this.docs.resolve(PLOTS).resolve(view.file(metric)), chart.svg());
				links.append("![%s](%s/%s)\n".formatted(view.title(metric), PLOTS, view.file(metric)));
			}
		}
		return links.toString().trim();
	}

	private String machine() {
		return """
				* %s cores; Redis %s; JDK %s; for virtual threads JDK %s
				* rounds: %s; in each %s s to warm up, then %s s measured; ttl %s s""".formatted(fact("cores"),
				fact("redis"), fact("jdk"), this.results.of(Scenario.SPREAD_VIRTUAL).fact("jdk"), fact("rounds"),
				fact("warmup"), fact("measure"), fact("ttl"));
	}

	private String fact(String name) {
		return Scenario.REGULAR.stream()
			.filter((scenario) -> !scenario.needsVirtualThreads())
			.map((scenario) -> this.results.of(scenario).fact(name))
			.filter((value) -> !value.equals("?"))
			.distinct()
			.collect(Collectors.joining(" / "));
	}

	private String run(View view) {
		Rounds rounds = this.results.of(view.scenario());
		return "Rounds: %s; JDK %s; %s cores.".formatted(rounds.fact("rounds"), rounds.fact("jdk"),
				rounds.fact("cores"));
	}

	private String goals() {
		return rows(Goal.all(this.results)
			.stream()
			.map((goal) -> "| %s | %s | %s | %s | %s |".formatted(goal.scenario(), goal.measure(), goal.goal(),
					goal.reached(), goal.verdict()))
			.toList());
	}

	private static String rows(Collection<String> rows) {
		return "| scenario | measure | goal | reached | |\n|---|---|--:|--:|---|\n" + String.join("\n", rows);
	}

	private String missed() {
		String missed = Goal.all(this.results)
			.stream()
			.filter((goal) -> goal.value().isPresent() && !goal.isMet())
			.map((goal) -> "* %s: %s is %s, the goal is %s.".formatted(goal.scenario(), goal.measure(), goal.reached(),
					goal.goal()))
			.collect(Collectors.joining("\n"));
		return missed.isEmpty() ? "Every goal that was measured is met." : "Goals that are missed:\n\n" + missed;
	}

	private static String value(Map<String, String> values, String name) {
		return Objects.requireNonNull(values.get(name), () -> "The template asks for the unknown " + name);
	}

	private static String template() throws IOException {
		try (InputStream stream = Report.class.getResourceAsStream("benchmarks-template.md")) {
			return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
