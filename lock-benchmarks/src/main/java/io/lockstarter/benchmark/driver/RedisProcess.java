// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import redis.embedded.RedisExecProvider;

/**
 * A {@code redis-server}, which listens on 127.0.0.1 and persists nothing.
 */
final class RedisProcess implements AutoCloseable {

	private static final int ATTEMPTS = 400;

	private final int port;

	private final Process process;

	private RedisProcess(int port, Process process) {
		this.port = port;
		this.process = process;
	}

	/**
	 * Start a server.
	 * @param directory its working directory
	 * @return a server that answers
	 * @throws InterruptedException if interrupted
	 */
	static RedisProcess start(Path directory) throws InterruptedException {
		try {
			return start(directory, freePort(), List.of());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start a server at a port.
	 * @param directory its working directory
	 * @param port the port
	 * @param config further arguments
	 * @return a server that answers
	 * @throws InterruptedException if interrupted
	 */
	static RedisProcess start(Path directory, int port, List<String> config) throws InterruptedException {
		List<String> command = new ArrayList<>(List.of(Binary.FILE.getPath(), "--port", String.valueOf(port), "--bind",
				"127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory.toString()));
		command.addAll(config);
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(directory.resolve("redis.log").toFile())
				.start();
			RedisProcess redis = new RedisProcess(port, process);
			redis.awaitAnswer();
			return redis;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.port;
	}

	/**
	 * Stop the server without an end: its port accepts connections, and nobody answers.
	 * @throws InterruptedException if interrupted
	 */
	void freeze() throws InterruptedException {
		try {
			int exit = new ProcessBuilder("kill", "-STOP", String.valueOf(this.process.pid())).start().waitFor();
			if (exit != 0) {
				throw new IllegalStateException("Cannot stop the redis-server on port " + this.port);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	private void awaitAnswer() throws InterruptedException {
		for (int i = 0; i < ATTEMPTS && this.process.isAlive(); i++) {
			try {
				new Socket(InetAddress.getLoopbackAddress(), this.port).close();
				return;
			}
			catch (IOException ex) {
				TimeUnit.MILLISECONDS.sleep(10);
			}
		}
		close();
		throw new IllegalStateException("redis-server does not answer on port " + this.port);
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private static final class Binary {

		static final File FILE = extract();

		private static File extract() {
			try {
				return RedisExecProvider.defaultProvider().get().getAbsoluteFile();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
