// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Metric;
import io.lockstarter.benchmark.service.Service;

/**
 * Several services start at once on one core, as after a roll-out on a small machine, and
 * each takes its first lock as soon as it has started.
 */
final class ColdStart {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final Contender contender;

	private final Options options;

	private final Jdk jdk;

	private final Path directory;

	private final PrintStream out;

	ColdStart(Contender contender, Options options, Jdk jdk, Path directory, PrintStream out) {
		this.contender = contender;
		this.options = options;
		this.jdk = jdk;
		this.directory = directory;
		this.out = out;
	}

	Map<Metric, Double> run(int services) throws InterruptedException {
		Path jar = ServiceProcess.jar(this.options.services(),
				this.contender.isOurs() ? ServiceProcess.WITH + "starter" : ServiceProcess.WITHOUT);
		List<ServiceProcess> started = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start(this.directory)) {
			for (int i = 0; i < services; i++) {
				started.add(ServiceProcess.start(List.of("taskset", "-c", "0"), this.jdk, jar,
						this.directory.resolve("log-" + i), redis.port(), Service.LOCK + "cold-" + i));
			}
			List<String> answers = new ArrayList<>();
			for (ServiceProcess service : started) {
				answers.addAll(service.awaitEnd(PATIENCE));
			}
			answers.stream().filter((answer) -> answer.startsWith(Service.FAILED)).forEach(this.out::println);
			return metrics(answers, services);
		}
		finally {
			started.forEach(ServiceProcess::close);
		}
	}

	private static Map<Metric, Double> metrics(List<String> answers, int services) {
		List<Double> times = answers.stream()
			.filter((answer) -> answer.startsWith(Service.GRANTED))
			.map((answer) -> Long.parseLong(answer.substring(Service.GRANTED.length())) / 1e6)
			.sorted()
			.toList();
		Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
		metrics.put(Metric.FIRST_LOCKS, (double) services);
		metrics.put(Metric.FIRST_LOCKS_FAILED, (double) services - times.size());
		if (!times.isEmpty()) {
			metrics.put(Metric.FIRST_LOCK, (times.get((times.size() - 1) / 2) + times.get(times.size() / 2)) / 2);
			metrics.put(Metric.FIRST_LOCK_LONGEST, times.get(times.size() - 1));
		}
		return metrics;
	}

}
