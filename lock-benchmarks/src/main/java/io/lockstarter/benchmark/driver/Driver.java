// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Metric;
import io.lockstarter.benchmark.report.Rounds;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;

import org.springframework.util.FileSystemUtils;

/**
 * Runs the scenarios: all contenders in turn, then all of them again, round after round,
 * so that whatever disturbs the machine for a while disturbs everyone.
 */
public final class Driver {

	private final Options options;

	private final PrintStream out;

	/**
	 * Create a driver.
	 * @param options what to do
	 * @param out where to tell what happens
	 */
	public Driver(Options options, PrintStream out) {
		this.options = options;
		this.out = out;
	}

	/**
	 * Measure, and store the results of each scenario as soon as it is through.
	 * @throws InterruptedException if interrupted
	 */
	public void run() throws InterruptedException {
		Runtime.getRuntime()
			.addShutdownHook(
					new Thread(() -> ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly)));
		for (Scenario scenario : this.options.scenarios()) {
			Optional<Jdk> jdk = scenario.needsVirtualThreads() ? Jdk.withVirtualThreads() : Optional.of(Jdk.current());
			if (jdk.isPresent()) {
				run(scenario, jdk.get());
			}
			else {
				this.out.printf("%s is left out: there is no JDK 25 at JAVA_25_HOME or in /usr/lib/jvm%n",
						scenario.id());
			}
		}
	}

	private void run(Scenario scenario, Jdk jdk) throws InterruptedException {
		Rounds rounds = new Rounds();
		rounds.fact("jdk", jdk.version());
		rounds.fact("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
		rounds.fact("rounds", String.valueOf(this.options.rounds()));
		rounds.fact("warmup", seconds(this.options.warmup().toMillis()));
		rounds.fact("measure", seconds(this.options.measure().toMillis()));
		rounds.fact("ttl", seconds(this.options.ttl().toMillis()));
		Path made = temporaryDirectory();
		try {
			Deployments deployments = new Deployments(this.options.services(), made, jdk);
			for (int round = 1; round <= this.options.rounds(); round++) {
				for (Contender contender : turns(this.options.contenders(), round)) {
					if (scenario.contenders().contains(contender)) {
						for (ThreadKind threads : scenario.threadKinds()) {
							run(rounds, new Rounds.Case(scenario, contender, threads), round, jdk, deployments);
						}
					}
				}
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(made.toFile());
		}
		rounds.store(this.options.results().resolve(scenario.id() + ".csv"));
	}

	/**
	 * There and back, as a machine may become faster or slower meanwhile: with an even
	 * number of rounds all are measured at the same time on average.
	 */
	static <T> List<T> turns(Collection<T> contenders, int round) {
		List<T> turns = new ArrayList<>(contenders);
		if (round % 2 == 0) {
			Collections.reverse(turns);
		}
		return turns;
	}

	private void run(Rounds rounds, Rounds.Case subject, int round, Jdk jdk, Deployments deployments)
			throws InterruptedException {
		Path directory = temporaryDirectory();
		Map<Metric, Double> metrics;
		try {
			metrics = switch (subject.scenario().load().work()) {
				case COLD_START -> new ColdStart(subject.contender(), this.options, jdk, directory, this.out)
					.run(subject.scenario().load().jvms());
				case START_UP -> new StartUp(subject, deployments, jdk, directory).run(round);
				default -> observe(rounds, subject, jdk, directory);
			};
		}
		catch (RuntimeException ex) {
			this.out.println(ex);
			metrics = Map.of(Metric.FAILED, 1.0);
		}
		finally {
			FileSystemUtils.deleteRecursively(directory.toFile());
		}
		metrics.forEach((metric, value) -> rounds.add(subject, round, metric, value));
		this.out.printf("%-14s %-21s %-8s round %d %s%n", subject.scenario().id(), subject.contender().id(),
				subject.threads().id(), round, summary(metrics));
	}

	private Map<Metric, Double> observe(Rounds rounds, Rounds.Case subject, Jdk jdk, Path directory)
			throws InterruptedException {
		Observation observation = new Measurement(subject, this.options, jdk, directory).run();
		rounds.fact("redis", observation.after().version());
		return observation.metrics(subject.contender());
	}

	private static String summary(Map<Metric, Double> metrics) {
		StringBuilder text = new StringBuilder();
		metrics.forEach((metric, value) -> text.append(" %s=%s".formatted(metric.id(), metric.format(value))));
		return text.toString();
	}

	// In memory where there is such a file system: a disk would stall who writes to a
	// mapped page.
	private static Path temporaryDirectory() {
		Path memory = Path.of("/dev/shm");
		try {
			return Files.isWritable(memory) ? Files.createTempDirectory(memory, "lock-benchmarks")
					: Files.createTempDirectory("lock-benchmarks");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String seconds(long millis) {
		return (millis % 1000 == 0) ? String.valueOf(millis / 1000) : String.valueOf(millis / 1e3);
	}

}
