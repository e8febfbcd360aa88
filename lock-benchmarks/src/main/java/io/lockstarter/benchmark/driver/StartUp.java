/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.benchmark.report.Metric;

/**
 * What lock-starter adds to the start of a service that has Redis and does nothing: the
 * time from the start of the process to the end of {@code SpringApplication.run}. A round
 * is a pair of starts; every other pair begins with the other one.
 */
final class StartUp {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Options options;

	private final Jdk jdk;

	private final Path directory;

	StartUp(Options options, Jdk jdk, Path directory) {
		this.options = options;
		this.jdk = jdk;
		this.directory = directory;
	}

	Map<Metric, Double> run(int round) throws InterruptedException {
		try (RedisProcess redis = RedisProcess.start(this.directory)) {
			Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
			for (boolean withStarter : Driver.turns(List.of(false, true), round)) {
				double time = start(withStarter, redis);
				metrics.put(withStarter ? Metric.START_WITH_STARTER : Metric.START, time);
				metrics.merge(Metric.ADDED, withStarter ? time : -time, Double::sum);
			}
			return metrics;
		}
	}

	private double start(boolean withStarter, RedisProcess redis) throws InterruptedException {
		Path jar = ServiceProcess.jar(this.options.services(),
				withStarter ? ServiceProcess.WITH_STARTER : ServiceProcess.WITHOUT_STARTER);
		try (ServiceProcess service = ServiceProcess.start(List.of(), this.jdk, jar, this.directory.resolve("log"),
				redis.port())) {
			service.awaitEnd(PATIENCE);
			return service.readyAfter() / 1e6;
		}
	}

}
