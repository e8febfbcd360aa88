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

/**
 * Talks to a Redis that would not let a client library in.
 */
final class Raw {

	private Raw() {
	}

	/**
	 * Send one command.
	 * @param port the port of Redis
	 * @param command the command
	 * @return the first line of the reply
	 */
	static String ask(int port, String command) {
		return askAll(port, command, 1).get(0);
	}

	/**
	 * Send one command.
	 * @param port the port of Redis
	 * @param command the command
	 * @param lines how many lines the reply has
	 * @return the reply
	 */
	static List<String> askAll(int port, String command, int lines) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
			return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)).lines()
				.limit(lines)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
