// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;

/**
 * The raw figures of all rounds. Kept in text files, one line for each figure, and a few
 * facts about the run as comments.
 */
public final class Rounds {

	private static final String HEADER = "scenario,contender,threads,round,metric,value";

	private static final String FACT = "# ";

	private final Map<String, String> facts = new LinkedHashMap<>();

	private final List<String> lines = new ArrayList<>();

	private final Map<Case, Map<Metric, List<Double>>> values = new LinkedHashMap<>();

	/**
	 * Read a file of {@link #store}.
	 * @param file the file
	 * @return its content; nothing if there is no such file
	 */
	static Rounds load(Path file) {
		Rounds rounds = new Rounds();
		if (!Files.exists(file)) {
			return rounds;
		}
		try {
			Files.readAllLines(file).forEach(rounds::parse);
			return rounds;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Add a figure.
	 * @param subject who was measured
	 * @param round in which round, from one
	 * @param metric what was observed
	 * @param value the figure
	 */
	public void add(Case subject, int round, Metric metric, double value) {
		this.lines.add("%s,%s,%s,%d,%s,%s".formatted(subject.scenario().id(), subject.contender().id(),
				subject.threads().name(), round, metric.id(), value));
		this.values.computeIfAbsent(subject, (absent) -> new LinkedHashMap<>())
			.computeIfAbsent(metric, (absent) -> new ArrayList<>())
			.add(value);
	}

	/**
	 * Add a fact about the run.
	 * @param name its name
	 * @param value its value
	 */
	public void fact(String name, String value) {
		this.facts.put(name, value);
	}

	/**
	 * Write everything to a file.
	 * @param file the file
	 */
	public void store(Path file) {
		List<String> content = new ArrayList<>();
		this.facts.forEach((name, value) -> content.add(FACT + name + "=" + value));
		content.add(HEADER);
		content.addAll(this.lines);
		try {
			Files.createDirectories(file.toAbsolutePath().getParent());
			Files.write(file, content);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a fact.
	 * @param name its name
	 * @return its value; a question mark if it is not known
	 */
	String fact(String name) {
		return this.facts.getOrDefault(name, "?");
	}

	List<Case> cases() {
		return List.copyOf(this.values.keySet());
	}

	/**
	 * Return the figure that stands for all rounds.
	 * @param subject who was measured
	 * @param metric what was observed
	 * @return the figure; empty if it was not observed
	 */
	OptionalDouble get(Case subject, Metric metric) {
		List<Double> rounds = this.values.getOrDefault(subject, Map.of()).getOrDefault(metric, List.of());
		return rounds.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(metric.over(rounds));
	}

	private void parse(String line) {
		if (line.startsWith(FACT)) {
			String[] parts = line.substring(FACT.length()).split("=", 2);
			fact(parts[0], parts[1]);
		}
		else if (!line.equals(HEADER)) {
			String[] parts = line.split(",", -1);
			Case subject = new Case(Scenario.of(parts[0]), Contender.of(parts[1]), ThreadKind.valueOf(parts[2]));
			add(subject, Integer.parseInt(parts[3]), Metric.of(parts[4]), Double.parseDouble(parts[5]));
		}
	}

	/**
	 * Who was measured.
	 *
	 * @param scenario doing what
	 * @param contender with what lock
	 * @param threads by which kind of threads
	 */
	public record Case(Scenario scenario, Contender contender, ThreadKind threads) {

		String label() {
			if (!this.scenario.needsVirtualThreads()) {
				return this.contender.label();
			}
			return "%s, %s threads".formatted(this.contender.label(), this.threads.id());
		}

	}

}
