// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What JMH measured inside of one JVM, out of the file that it writes.
 *
 * @param rows the lines of the file
 */
public record MicroResults(List<Row> rows) {

	/**
	 * The file.
	 */
	public static final String FILE = "jmh.csv";

	private static final String SEPARATOR = "\",\"|\",|,\"|,";

	static MicroResults load(Path file) {
		if (!Files.exists(file)) {
			return new MicroResults(List.of());
		}
		try {
			return new MicroResults(Files.readAllLines(file).stream().skip(1).map(MicroResults::parse).toList());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return how much longer one takes than another.
	 * @param one a benchmark
	 * @param other another one
	 * @return the difference of their scores; empty if they were not measured
	 */
	OptionalDouble difference(String one, String other) {
		OptionalDouble first = score(one);
		OptionalDouble second = score(other);
		return (first.isPresent() && second.isPresent()) ? OptionalDouble.of(first.getAsDouble() - second.getAsDouble())
				: OptionalDouble.empty();
	}

	String table() {
		if (this.rows.isEmpty()) {
			return Report.NOT_MEASURED;
		}
		return this.rows.stream()
			.map((row) -> "| %s | %s | %s ± %s | %s |".formatted(row.name, row.threads, number(row.score),
					number(row.error), row.unit))
			.collect(Collectors.joining("\n", "| benchmark | threads | score | unit |\n|---|--:|--:|---|\n", ""));
	}

	private OptionalDouble score(String name) {
		return this.rows.stream().filter((row) -> row.name.equals(name)).mapToDouble(Row::score).findFirst();
	}

	private static Row parse(String line) {
		String[] parts = line.replaceFirst("^\"", "").split(SEPARATOR, -1);
		String[] name = parts[0].split("\\.", -1);
		return new Row(name[name.length - 2] + "." + name[name.length - 1], parts[2], Double.parseDouble(parts[4]),
				Double.parseDouble(parts[5]), parts[6].replace("\"", ""));
	}

	private static String number(double value) {
		return String.format(Locale.ROOT, "%,.1f", value);
	}

	/**
	 * One benchmark.
	 *
	 * @param name its class and method
	 * @param threads how many threads ran it
	 * @param score its result
	 * @param error half of the 99.9 % confidence interval
	 * @param unit of the result
	 */
	record Row(String name, String threads, double score, double error, String unit) {

	}

}
