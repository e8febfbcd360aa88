// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection to a real Redis without anything in between. Texts have a character for
 * each byte. Not thread-safe.
 */
final class RealConnection implements AutoCloseable {

	private final Socket socket;

	private final InputStream in;

	RealConnection(int port) {
		try {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout(20_000);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send commands together.
	 * @return as many replies
	 */
	List<Reply> execute(List<List<String>> commands) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (List<String> command : commands) {
			out.writeBytes(Resp.encode(Reply.ofTexts(command)));
		}
		try {
			this.socket.getOutputStream().write(out.toByteArray());
			List<Reply> replies = new ArrayList<>();
			while (replies.size() < commands.size()) {
				replies.add(read());
			}
			return replies;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("After " + commands, ex);
		}
	}

	Reply execute(String... command) {
		return execute(List.of(List.of(command))).get(0);
	}

	/**
	 * Send a command, if there is any, and return all that comes back and was pushed
	 * before.
	 */
	List<Reply> drain(List<String> command) {
		try {
			if (!command.isEmpty()) {
				this.socket.getOutputStream().write(Resp.encode(Reply.ofTexts(command)));
			}
			this.socket.getOutputStream().write(Resp.encode(Reply.ofTexts(List.of("PING"))));
			List<Reply> all = new ArrayList<>();
			for (Reply next = read(); !isPong(next); next = read()) {
				all.add(next);
			}
			return all;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("After " + command, ex);
		}
	}

	private static boolean isPong(Reply reply) {
		return reply.equals(new Reply.Status("PONG")) || reply.equals(Reply.ofTexts(List.of("pong", "")));
	}

	private Reply read() throws IOException {
		String line = line();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> new Reply.Status(rest);
			case '-' -> new Reply.Failure(rest);
			case ':' -> Reply.of(Long.parseLong(rest));
			case '$' -> "-1".equals(rest) ? Reply.NIL : bulk(Integer.parseInt(rest));
			case '_' -> Reply.NIL;
			case '*' -> "-1".equals(rest) ? Reply.NIL : new Reply.Array(elements(Integer.parseInt(rest)));
			case '>' -> new Reply.Push(elements(Integer.parseInt(rest)));
			case '%' -> new Reply.Pairs(elements(2 * Integer.parseInt(rest)));
			default -> throw new IOException("No reply: " + line);
		};
	}

	private Reply bulk(int length) throws IOException {
		byte[] bytes = this.in.readNBytes(length + 2);
		return new Reply.Bulk(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
	}

	private List<Reply> elements(int size) throws IOException {
		List<Reply> elements = new ArrayList<>();
		while (elements.size() < size) {
			elements.add(read());
		}
		return elements;
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException("The server is gone");
			}
			line.append((char) next);
		}
		line.setLength(line.length() - 1);
		return line.toString();
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

}
