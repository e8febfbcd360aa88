/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
