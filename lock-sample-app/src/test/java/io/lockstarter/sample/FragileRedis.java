// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A Redis server of a test, which kills it and starts it again, on the same port.
 */
public final class FragileRedis implements AutoCloseable {

	private final Path directory;

	private final int port;

	private Process server;

	public FragileRedis() throws IOException {
		this.directory = Files.createTempDirectory("fragile-redis");
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.port = socket.getLocalPort();
		}
		this.server = startServer();
	}

	private Process startServer() throws IOException {
		// It writes down each change before it answers, so that killing it loses none.
		List<String> command = new ArrayList<>(
				List.of(RedisExecProvider.defaultProvider().get().getAbsolutePath(), "--bind", "127.0.0.1"));
		command.addAll(List.of("--port", String.valueOf(this.port), "--save", "", "--appendonly", "yes"));
		command.addAll(List.of("--appendfsync", "no"));
		Process started = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		await().atMost(Duration.ofSeconds(60)).until(this::isListening);
		return started;
	}

	private boolean isListening() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	public String url() {
		return "redis://127.0.0.1:" + this.port;
	}

	public void kill() {
		this.server.destroyForcibly().onExit().join();
	}

	/**
	 * Start the server again, with what was in it.
	 */
	public void startAgain() throws IOException {
		this.server = startServer();
	}

	/**
	 * Start the server again, without what was in it.
	 */
	public void startAgainEmpty() throws IOException {
		FileSystemUtils.deleteRecursively(this.directory);
		Files.createDirectory(this.directory);
		startAgain();
	}

	@Override
	public void close() throws IOException {
		kill();
		FileSystemUtils.deleteRecursively(this.directory);
	}

}
