// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * One {@code redis-server} as a child process with a directory of its own. Not
 * thread-safe.
 */
final class RedisProcess {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final Path binary;

	private final int port;

	private final boolean sentinel;

	private final List<String> config;

	private final Map<String, String> environment;

	private final Path directory;

	private @Nullable Process process;

	/**
	 * Prepare a process.
	 * @param sentinel whether it is a Sentinel
	 * @param config further arguments, or for a Sentinel further lines of its file
	 * @param environment further variables
	 */
	RedisProcess(Path binary, int port, boolean sentinel, List<String> config, Map<String, String> environment) {
		this.environment = environment;
		this.binary = binary;
		this.port = port;
		this.sentinel = sentinel;
		this.config = config;
		try {
			this.directory = Files.createTempDirectory("lock-starter-redis");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::destroy, "redis-" + port + "-end"));
	}

	void start() {
		try {
			ProcessBuilder builder = new ProcessBuilder(command()).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
			builder.environment().putAll(this.environment);
			this.process = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Process started = running();
		await().pollInterval(Duration.ofMillis(10))
			.atMost(PATIENCE)
			.until(() -> !started.isAlive() || (answers() && started.isAlive()));
		if (!started.isAlive()) {
			throw new IllegalStateException("redis-server did not start: " + readLog());
		}
	}

	long pid() {
		return running().pid();
	}

	void kill() {
		end(running().destroyForcibly());
	}

	void terminate() {
		running().destroy();
		end(running());
	}

	/**
	 * Remove what was persisted.
	 */
	void forget() {
		FileSystemUtils.deleteRecursively(this.directory.toFile());
		if (!this.directory.toFile().mkdirs()) {
			throw new IllegalStateException("Cannot make " + this.directory);
		}
	}

	/**
	 * End the process, in whatever state it is, and remove its directory.
	 */
	void destroy() {
		if (this.process != null) {
			end(this.process.destroyForcibly());
		}
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	private void end(Process ending) {
		try {
			if (!ending.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("redis-server " + ending.pid() + " does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private List<String> command() {
		if (this.sentinel) {
			return List.of(this.binary.toString(), sentinelConfig().toString(), "--sentinel");
		}
		List<String> command = new ArrayList<>(List.of(this.binary.toString(), "--port", String.valueOf(this.port),
				"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", this.directory.toString()));
		command.addAll(this.config);
		return command;
	}

	/**
	 * A Sentinel writes down what it learns in the file that it was started with.
	 */
	private Path sentinelConfig() {
		Path file = this.directory.resolve("sentinel.conf");
		if (!Files.exists(file)) {
			List<String> lines = new ArrayList<>(
					List.of("port " + this.port, "bind 127.0.0.1", "dir " + this.directory));
			lines.addAll(this.config);
			try {
				Files.write(file, lines);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return file;
	}

	/**
	 * Any reply will do but that it is still loading: without a password it is an error,
	 * too.
	 */
	private boolean answers() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(1000);
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			String reply = new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII);
			return reply.length() == 5 && !"-LOAD".equals(reply);
		}
		catch (IOException ex) {
			return false;
		}
	}

	private Process running() {
		if (this.process == null) {
			throw new IllegalStateException("redis-server was not started");
		}
		return this.process;
	}

	private Path log() {
		return this.directory.resolve("redis.log");
	}

	private String readLog() {
		try {
			return Files.readString(log());
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
