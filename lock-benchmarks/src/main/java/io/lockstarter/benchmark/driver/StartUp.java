// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Metric;
import io.lockstarter.benchmark.report.Rounds;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.service.Service;

/**
 * What a library with locks adds to the start of a service that has Redis and a few beans
 * with methods to be locked: the time from the start of the process to the end of
 * {@code SpringApplication.run}, and the CPU time of all threads of the process, up to
 * then, and after the first lock, for which somebody has to connect. A round is a pair of
 * starts, every other one the other way round. Classes are counted in a pair of their
 * own, as their log takes time, of services that are executable jars.
 */
final class StartUp {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final List<String> LOG_CLASSES = List.of("-Xlog:class+load=info:stdout:none");

	private static final String LOADED = " source: ";

	private final Scenario scenario;

	private final Contender contender;

	private final Deployments deployments;

	private final Jdk jdk;

	private final Path directory;

	StartUp(Rounds.Case subject, Deployments deployments, Jdk jdk, Path directory) {
		this.scenario = subject.scenario();
		this.contender = subject.contender();
		this.deployments = deployments;
		this.jdk = jdk;
		this.directory = directory;
	}

	Map<Metric, Double> run(int round) throws InterruptedException {
		try (RedisProcess redis = RedisProcess.start(this.directory)) {
			Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
			for (boolean with : Driver.turns(List.of(false, true), round)) {
				double sign = with ? 1 : -1;
				ServiceProcess service = start(List.of(), with, redis);
				double time = service.readyAfter() / 1e6;
				metrics.put(with ? Metric.START_WITH_STARTER : Metric.START, time);
				metrics.merge(Metric.ADDED, sign * time, Double::sum);
				metrics.merge(Metric.START_CPU_ADDED, sign * cpu(service, Service.READY), Double::sum);
				metrics.merge(Metric.START_MAIN_CPU_ADDED, sign * cpu(service, Service.MAIN), Double::sum);
				metrics.merge(Metric.CPU_ADDED, sign * cpu(service, Service.END), Double::sum);
				if (this.scenario == Scenario.START_UP) {
					count(start(LOG_CLASSES, with, redis).lines(), sign, metrics);
				}
			}
			return metrics;
		}
	}

	private ServiceProcess start(List<String> jvmArguments, boolean with, RedisProcess redis)
			throws InterruptedException {
		String classifier = with && !isFloor() ? ServiceProcess.WITH + library() : ServiceProcess.WITHOUT;
		String[] arguments = (with && isFloor()) ? new String[] { Service.CALL, Service.FLOOR }
				: new String[] { Service.CALL };
		Deployments.Deployment deployed = this.deployments.get(this.scenario, classifier, redis.port(), arguments);
		List<String> all = Stream.concat(deployed.jvmArguments().stream(), jvmArguments.stream()).toList();
		try (ServiceProcess service = ServiceProcess.start(List.of(), this.jdk, all, deployed.jar(),
				this.directory.resolve("log"), redis.port(), arguments)) {
			service.awaitEnd(PATIENCE);
			return service;
		}
	}

	private boolean isFloor() {
		return this.contender == Contender.FLOOR;
	}

	private String library() {
		return this.contender.isOurs() ? "starter" : this.contender.id();
	}

	private static double cpu(ServiceProcess service, String event) {
		return service.lines()
			.stream()
			.filter((line) -> line.startsWith(event))
			.mapToDouble((line) -> Long.parseLong(line.substring(event.length())) / 1e6)
			.findFirst()
			.orElseThrow();
	}

	private static void count(List<String> lines, double sign, Map<Metric, Double> metrics) {
		boolean started = false;
		for (String line : lines) {
			started |= line.startsWith(Service.READY);
			if (line.contains(LOADED)) {
				metrics.merge(Metric.CLASSES_ADDED, sign, Double::sum);
				metrics.merge(owner(line), sign, Double::sum);
				if (!started) {
					metrics.merge(Metric.START_CLASSES_ADDED, sign, Double::sum);
				}
			}
		}
	}

	private static Metric owner(String name) {
		if (name.startsWith("org.springframework.")) {
			return Metric.CLASSES_OF_SPRING;
		}
		if (name.startsWith("io.lettuce.") || name.startsWith("io.netty.")) {
			return Metric.CLASSES_OF_LETTUCE;
		}
		boolean ofJdk = name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.")
				|| name.startsWith("com.sun.");
		return ofJdk ? Metric.CLASSES_OF_JDK : Metric.CLASSES_OF_OTHERS;
	}

}
