// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmark.scenario.Scenario;

/**
 * Services as they are deployed: as the executable jars that they are built as, as jars
 * that are extracted from these, or as such with an archive of the classes that they load
 * until they have locked something. Each is made once.
 */
final class Deployments {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Path services;

	private final Path directory;

	private final Jdk jdk;

	private final Map<List<Object>, Deployment> made = new HashMap<>();

	/**
	 * Create the deployments.
	 * @param services where the executable jars are
	 * @param directory what is made goes there
	 * @param jdk the JDK of the services
	 */
	Deployments(Path services, Path directory, Jdk jdk) {
		this.services = services;
		this.directory = directory;
		this.jdk = jdk;
	}

	/**
	 * Return a service as a scenario has it.
	 * @param scenario the scenario
	 * @param classifier the classifier of its jar
	 * @param port the port of Redis
	 * @param arguments its arguments
	 * @return what to start
	 * @throws InterruptedException if interrupted
	 */
	Deployment get(Scenario scenario, String classifier, int port, String... arguments) throws InterruptedException {
		List<Object> key = List.of(scenario, classifier, List.of(arguments));
		Deployment present = this.made.get(key);
		if (present == null) {
			present = make(scenario, classifier, port, arguments);
			this.made.put(key, present);
		}
		return present;
	}

	private Deployment make(Scenario scenario, String classifier, int port, String... arguments)
			throws InterruptedException {
		Path jar = ServiceProcess.jar(this.services, classifier);
		if (scenario == Scenario.START_UP) {
			return new Deployment(jar, List.of());
		}
		Path extracted = this.directory.resolve("%s-%d".formatted(classifier, this.made.size()));
		extract(jar, extracted);
		Path thin = extracted.resolve(jar.getFileName());
		if (scenario == Scenario.START_UP_EXTRACTED) {
			return new Deployment(thin, List.of());
		}
		Path archive = extracted.resolve("classes.jsa");
		try (ServiceProcess service = ServiceProcess.start(List.of(), this.jdk,
				List.of("-XX:ArchiveClassesAtExit=" + archive), thin, this.directory.resolve("log"), port, arguments)) {
			service.awaitEnd(PATIENCE);
		}
		return new Deployment(thin, List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:on"));
	}

	private void extract(Path jar, Path destination) throws InterruptedException {
		try {
			Process process = new ProcessBuilder(this.jdk.java().toString(), "-Djarmode=tools", "-jar",
					jar.toAbsolutePath().toString(), "extract", "--destination", destination.toString())
				.redirectErrorStream(true)
				.redirectOutput(this.directory.resolve("log").toFile())
				.start();
			if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
				throw new IllegalStateException("Cannot extract " + jar);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * How to start a service.
	 *
	 * @param jar its jar
	 * @param jvmArguments arguments for its JVM
	 */
	record Deployment(Path jar, List<String> jvmArguments) {

	}

}
