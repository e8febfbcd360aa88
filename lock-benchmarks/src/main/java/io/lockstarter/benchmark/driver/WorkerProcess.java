// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.benchmark.Main;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.worker.Result;
import io.lockstarter.benchmark.worker.Worker;

/**
 * A measured JVM.
 */
final class WorkerProcess implements AutoCloseable {

	// Of a JVM with ExitOnOutOfMemoryError.
	private static final int OUT_OF_MEMORY = 3;

	private final Assignment assignment;

	private final Process process;

	private WorkerProcess(Assignment assignment, Process process) {
		this.assignment = assignment;
		this.process = process;
	}

	static WorkerProcess start(Assignment assignment, Jdk jdk, List<String> jvmArguments) {
		List<String> command = new ArrayList<>();
		command.add(jdk.java().toString());
		command.addAll(assignment.scenario().jvmArguments());
		command.addAll(jvmArguments);
		command.addAll(List.of("-cp", classPath(), Main.class.getName(), Main.WORKER));
		command.addAll(assignment.toArguments());
		try {
			return new WorkerProcess(assignment,
					new ProcessBuilder(command).redirectError(assignment.logFile().toFile()).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait until the JVM is connected.
	 * @param patience for how long
	 */
	void awaitReady(Duration patience) {
		BufferedReader output = this.process.inputReader();
		CompletableFuture<Boolean> ready = CompletableFuture
			.supplyAsync(() -> output.lines().anyMatch(Worker.READY::equals));
		if (!ready.completeOnTimeout(false, patience.toMillis(), TimeUnit.MILLISECONDS).join()) {
			throw failure("is not ready");
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Tell the JVM when to work.
	 * @param schedule when
	 */
	// The stream stays open: its end would mean that the driver is gone.
	void send(Schedule schedule) {
		Writer input = this.process.outputWriter();
		try {
			input.write(schedule.toLine() + "\n");
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait until the JVM has ended.
	 * @param patience for how long
	 * @return what it measured
	 * @throws InterruptedException if interrupted
	 */
	Result awaitResult(Duration patience) throws InterruptedException {
		if (!this.process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
			throw failure("did not end");
		}
		if (this.process.exitValue() == OUT_OF_MEMORY) {
			throw failure("ran out of memory");
		}
		if (this.process.exitValue() != 0) {
			throw failure("did not end well");
		}
		return Result.load(this.assignment.resultFile());
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	private IllegalStateException failure(String what) {
		try (Stream<String> log = Files.lines(this.assignment.logFile())) {
			return new IllegalStateException("JVM %d %s: %s".formatted(this.assignment.jvm(), what,
					log.limit(60).collect(Collectors.joining("\n"))));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String classPath() {
		return Stream
			.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
				.split(File.pathSeparator, -1))
			.map((entry) -> Path.of(entry).toAbsolutePath().toString())
			.collect(Collectors.joining(File.pathSeparator));
	}

}
