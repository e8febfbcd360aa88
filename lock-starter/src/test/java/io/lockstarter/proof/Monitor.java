// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.testkit.RedisServer;

import static org.awaitility.Awaitility.await;

/**
 * Listens to all that a Redis is told, by {@code MONITOR}.
 */
final class Monitor implements AutoCloseable {

	private final RedisServer redis;

	private final Socket socket;

	private final Queue<String> lines = new ConcurrentLinkedQueue<>();

	Monitor(RedisServer redis) {
		this.redis = redis;
		try {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
			this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread reader = new Thread(this::read, "monitor");
		reader.setDaemon(true);
		reader.start();
		await().until(() -> this.lines.contains("+OK"));
	}

	/**
	 * Return what came from clients up to now, without what their scripts did.
	 * @return commands with their arguments in quotes
	 */
	List<String> commands() {
		String mark = "mark-" + System.nanoTime();
		this.redis.commands().echo(mark);
		await().until(() -> this.lines.stream().anyMatch((line) -> line.contains(mark)));
		return this.lines.stream().filter((line) -> !line.contains(" lua] ") && !line.contains("mark-")).toList();
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void read() {
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8))) {
			reader.lines().forEach(this.lines::add);
		}
		catch (IOException | UncheckedIOException ex) {
			// closed
		}
	}

}
