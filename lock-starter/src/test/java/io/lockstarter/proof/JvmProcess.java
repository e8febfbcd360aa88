// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lockstarter.testkit.ProcessSignal;

/**
 * A child JVM with the class path of the tests. It talks in lines over its standard
 * streams, and ends with this JVM at the latest. To be used by one thread.
 */
final class JvmProcess implements AutoCloseable {

	/**
	 * Several that start at once take a minute each where ten others want the processor.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final String END = "(end of output)";

	private final Process process;

	private final PrintStream input;

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private final List<String> read = new ArrayList<>();

	private JvmProcess(Process process) {
		this.process = process;
		this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
		Thread reader = new Thread(this::readLines, "output-of-" + process.pid());
		reader.setDaemon(true);
		reader.start();
	}

	static JvmProcess start(Class<?> main, Object... args) {
		return start(classPath(), List.of(), main, args);
	}

	/**
	 * Start a child by a launcher.
	 * @param launcher what to put before the command
	 */
	static JvmProcess launch(List<String> launcher, Class<?> main, Object... args) {
		return start(launcher, classPath(), List.of(), main, args);
	}

	/**
	 * Start a child with a class path and options of its own.
	 * @param classPath its class path
	 * @param options more options of the JVM
	 * @param main the main class
	 * @param args its arguments
	 * @return the child
	 */
	static JvmProcess start(Collection<String> classPath, List<String> options, Class<?> main, Object... args) {
		return start(List.of(), classPath, options, main, args);
	}

	private static JvmProcess start(List<String> launcher, Collection<String> classPath, List<String> options,
			Class<?> main, Object... args) {
		List<String> command = new ArrayList<>(launcher);
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
				"-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:+UseSerialGC",
				"-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider", "-Dslf4j.internal.verbosity=ERROR",
				"-cp", String.join(File.pathSeparator, classPath)));
		command.addAll(options);
		command.add(main.getName());
		for (Object arg : args) {
			command.add(arg.toString());
		}
		try {
			return new JvmProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the class path of the tests.
	 * @return jars and directories
	 */
	static List<String> classPath() {
		return List.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
			.split(File.pathSeparator));
	}

	/**
	 * End the child when the parent ends, and hand it what the parent says. To be called
	 * in the child.
	 * @return the lines that the parent sends
	 */
	static BlockingQueue<String> listenToParent() {
		BlockingQueue<String> commands = new LinkedBlockingQueue<>();
		Thread listener = new Thread(() -> {
			new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().forEach(commands::add);
			Runtime.getRuntime().halt(3);
		}, "parent");
		listener.setDaemon(true);
		listener.start();
		return commands;
	}

	long pid() {
		return this.process.pid();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	void send(String line) {
		this.input.println(line);
	}

	/**
	 * Wait for a line of output, skipping others.
	 * @param start how the line begins
	 * @return what follows in that line
	 */
	String await(String start) {
		while (true) {
			String line = next();
			if (line.startsWith(start)) {
				return line.substring(start.length()).strip();
			}
			if (line.equals(END)) {
				throw new IllegalStateException("The child ended without '%s': %s".formatted(start, this.read));
			}
		}
	}

	/**
	 * Wait for the end of the child.
	 * @return its exit value
	 */
	int awaitEnd() {
		try {
			if (!this.process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException("The child does not end: " + this.lines);
			}
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Wait for the end of the child and read what it still said.
	 * @return the lines that were not read yet
	 */
	List<String> awaitRest() {
		int from = this.read.size();
		awaitEnd();
		while (!next().equals(END)) {
			// read on
		}
		return this.read.subList(from, this.read.size() - 1);
	}

	/**
	 * SIGKILL; returns when the child is gone.
	 */
	void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/**
	 * SIGTERM.
	 */
	void terminate() {
		// Process.destroy() would close the streams, too
		ProcessSignal.TERM.send(pid());
	}

	/**
	 * SIGSTOP; returns when nothing of the child runs.
	 */
	void pause() {
		ProcessSignal.STOP.send(pid());
	}

	/**
	 * SIGCONT.
	 */
	void resume() {
		ProcessSignal.CONT.send(pid());
	}

	@Override
	public void close() {
		kill();
		this.input.close();
	}

	private String next() {
		try {
			String line = this.lines.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			if (line == null) {
				throw new IllegalStateException("The child says no more: " + this.read);
			}
			this.read.add(line);
			return line;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private void readLines() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			reader.lines().forEach(this.lines::add);
		}
		catch (IOException | UncheckedIOException ex) {
			this.lines.add(ex.toString());
		}
		this.lines.add(END);
	}

}
