// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import redis.embedded.RedisExecProvider;

/**
 * A Redis server on a free port of 127.0.0.1, without persistence. It ends with this JVM,
 * if not before.
 *
 * @param port the port
 * @param shell what ends the server when its input does
 */
record EmbeddedRedis(int port, Process shell) {

	// Ctrl-C reaches all processes of a terminal, but Redis must outlive the application
	// that is still releasing its locks: it leaves the terminal, as a daemon, and the
	// shell that is to end it ignores the signal. The shell's input ends when stop()
	// closes it, or with this JVM, however that ends.
	private static final String SCRIPT = """
			trap '' HUP INT QUIT TERM
			"$0" --bind 127.0.0.1 --port "$1" --save '' --daemonize yes --pidfile "$PWD/pid" && read -r _
			[ -s pid ] || sleep 1
			kill "$(cat pid)"
			rm -f pid && rmdir "$PWD"
			""";

	static EmbeddedRedis start() throws IOException {
		int port = freePort();
		String server = RedisExecProvider.defaultProvider().get().getAbsolutePath();
		Process shell = new ProcessBuilder("sh", "-c", SCRIPT, server, String.valueOf(port))
			.directory(Files.createTempDirectory("flash-sale-redis").toFile())
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		EmbeddedRedis redis = new EmbeddedRedis(port, shell);
		for (int attempt = 1; !redis.isListening(); attempt++) {
			if (attempt == 1000) {
				redis.stop();
				throw new IOException("Redis did not start on port " + port);
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
		return redis;
	}

	String url() {
		return "redis://127.0.0.1:" + this.port;
	}

	void stop() throws IOException {
		this.shell.getOutputStream().close();
	}

	private boolean isListening() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}
