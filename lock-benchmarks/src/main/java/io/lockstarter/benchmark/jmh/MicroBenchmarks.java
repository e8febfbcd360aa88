// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.lockstarter.benchmark.report.MicroResults;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the benchmarks of this package.
 */
public final class MicroBenchmarks {

	private MicroBenchmarks() {
	}

	/**
	 * Run.
	 * @param arguments arguments of JMH
	 * @param results where the results go
	 * @throws IOException if they cannot be written
	 */
	public static void run(List<String> arguments, Path results) throws IOException {
		Files.createDirectories(results);
		try {
			CommandLineOptions options = new CommandLineOptions(arguments.toArray(String[]::new));
			ChainedOptionsBuilder builder = new OptionsBuilder().parent(options)
				.resultFormat(ResultFormatType.CSV)
				.result(results.resolve(MicroResults.FILE).toString());
			if (options.getIncludes().isEmpty()) {
				builder.include(MicroBenchmarks.class.getPackageName());
			}
			new Runner(builder.build()).run();
		}
		catch (CommandLineOptionException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
		catch (RunnerException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
