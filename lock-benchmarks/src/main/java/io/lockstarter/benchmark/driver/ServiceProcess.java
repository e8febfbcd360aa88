// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.benchmark.service.Service;

/**
 * A Spring Boot service in an executable jar, see {@code service.Service}.
 */
final class ServiceProcess implements AutoCloseable {

	/**
	 * How the classifiers of the jars begin that have a library with locks.
	 */
	static final String WITH = "with-";

	/**
	 * The classifier of the jar that has none.
	 */
	static final String WITHOUT = "without";

	private final Process process;

	private final Path log;

	private final long startedAt = System.nanoTime();

	private final List<String> lines = new ArrayList<>();

	private volatile long readyAfter;

	private ServiceProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Start a service.
	 * @param prefix what to put before the command, such as {@code taskset}
	 * @param jdk the JDK
	 * @param jar the jar
	 * @param log the file for what it logs
	 * @param port the port of Redis
	 * @param arguments more arguments
	 * @return the service, which is starting
	 */
	static ServiceProcess start(List<String> prefix, Jdk jdk, Path jar, Path log, int port, String... arguments) {
		return start(prefix, jdk, List.of(), jar, log, port, arguments);
	}

	/**
	 * Start a service with arguments for its JVM.
	 * @param prefix what to put before the command, such as {@code taskset}
	 * @param jdk the JDK
	 * @param jvmArguments the arguments for the JVM
	 * @param jar the jar
	 * @param log the file for what it logs
	 * @param port the port of Redis
	 * @param arguments more arguments
	 * @return the service, which is starting
	 */
	static ServiceProcess start(List<String> prefix, Jdk jdk, List<String> jvmArguments, Path jar, Path log, int port,
			String... arguments) {
		List<String> command = new ArrayList<>(prefix);
		command.add(jdk.java().toString());
		command.addAll(jvmArguments);
		command.addAll(List.of("-Xmx128m", "-jar", jar.toAbsolutePath().toString(),
				"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port));
		command.addAll(List.of(arguments));
		try {
			return new ServiceProcess(new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Find an executable jar.
	 * @param folder where
	 * @param classifier which
	 * @return the jar
	 */
	static Path jar(Path folder, String classifier) {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*-" + classifier + ".jar")) {
			for (Path jar : jars) {
				return jar;
			}
			throw new IllegalStateException("There is no *-" + classifier + ".jar in " + folder + ": mvn package");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for the end of the service.
	 * @param patience for how long
	 * @return the lines that it said
	 * @throws InterruptedException if interrupted
	 */
	List<String> awaitEnd(Duration patience) throws InterruptedException {
		Thread reader = new Thread(this::read);
		reader.setDaemon(true);
		reader.start();
		if (!this.process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS) || this.process.exitValue() != 0) {
			throw new IllegalStateException("The service did not end well: " + log());
		}
		reader.join(patience.toMillis());
		return this.lines;
	}

	/**
	 * Return what it said.
	 * @return the lines, after {@link #awaitEnd}
	 */
	List<String> lines() {
		return this.lines;
	}

	/**
	 * Return how long it took from the start of the process until it said that it has
	 * started.
	 * @return the nanoseconds, after {@link #awaitEnd}
	 */
	long readyAfter() {
		return this.readyAfter;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader()) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				if (line.startsWith(Service.READY)) {
					this.readyAfter = System.nanoTime() - this.startedAt;
				}
				this.lines.add(line);
			}
		}
		catch (IOException ex) {
			// It has ended.
		}
	}

	private String log() {
		try (Stream<String> log = Files.lines(this.log)) {
			return log.limit(60).collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
