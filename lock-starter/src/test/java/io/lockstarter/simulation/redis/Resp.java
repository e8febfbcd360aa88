// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The protocol between clients and servers: version 2, and of version 3 what is pushed,
 * and the answer to {@code HELLO}.
 */
public final class Resp {

	private Resp() {
	}

	/**
	 * Return a text as it goes over the wire: a character for each of its bytes.
	 */
	public static String latin(String text) {
		return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
	}

	/**
	 * Return what a server sends for a reply.
	 * @param reply the reply
	 * @return its bytes
	 */
	public static byte[] encode(Reply reply) {
		StringBuilder out = new StringBuilder();
		encode(reply, out);
		return out.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	private static void encode(Reply reply, StringBuilder out) {
		if (reply instanceof Reply.Status status) {
			out.append('+').append(status.text()).append("\r\n");
		}
		else if (reply instanceof Reply.Failure failure) {
			out.append('-').append(failure.message()).append("\r\n");
		}
		else if (reply instanceof Reply.Int number) {
			out.append(':').append(number.value()).append("\r\n");
		}
		else if (reply instanceof Reply.Bulk bulk) {
			out.append('$').append(bulk.raw().length()).append("\r\n").append(bulk.raw()).append("\r\n");
		}
		else if (reply instanceof Reply.Array array) {
			out.append('*').append(array.elements().size()).append("\r\n");
			array.elements().forEach((element) -> encode(element, out));
		}
		else if (reply instanceof Reply.Push push) {
			out.append('>').append(push.elements().size()).append("\r\n");
			push.elements().forEach((element) -> encodePushed(element, out));
		}
		else if (reply instanceof Reply.Pairs pairs) {
			out.append('%').append(pairs.elements().size() / 2).append("\r\n");
			pairs.elements().forEach((element) -> encode(element, out));
		}
		else if (reply instanceof Reply.Nil) {
			out.append("$-1\r\n");
		}
	}

	private static void encodePushed(Reply element, StringBuilder out) {
		if (element instanceof Reply.Nil) {
			out.append("_\r\n");
		}
		else {
			encode(element, out);
		}
	}

	/**
	 * Return the words of a request as text.
	 * @param request its words
	 * @return the same ones
	 */
	public static List<String> words(List<byte[]> request) {
		return request.stream().map((word) -> new String(word, StandardCharsets.UTF_8)).toList();
	}

	/**
	 * Takes requests out of what a client sends: arrays of bulk strings. Not thread-safe.
	 */
	public static final class Decoder {

		private byte[] buffer = {};

		private int next;

		/**
		 * Take further bytes.
		 * @param bytes any number of them
		 * @return the requests that are complete now
		 */
		public List<List<byte[]>> decode(byte[] bytes) {
			int left = this.buffer.length;
			this.buffer = Arrays.copyOf(this.buffer, left + bytes.length);
			System.arraycopy(bytes, 0, this.buffer, left, bytes.length);
			List<List<byte[]>> requests = new ArrayList<>();
			int taken = 0;
			this.next = 0;
			for (List<byte[]> request = request(); !request.isEmpty(); request = request()) {
				requests.add(request);
				taken = this.next;
			}
			this.buffer = Arrays.copyOfRange(this.buffer, taken, this.buffer.length);
			return requests;
		}

		// Empty if there is none yet.
		private List<byte[]> request() {
			int count = number('*');
			List<byte[]> parts = new ArrayList<>();
			while (parts.size() < count) {
				int length = number('$');
				if (length < 0 || this.buffer.length - this.next < length + 2) {
					return List.of();
				}
				parts.add(Arrays.copyOfRange(this.buffer, this.next, this.next + length));
				this.next += length + 2;
			}
			return parts;
		}

		// Negative if the line is not complete yet.
		private int number(char type) {
			int end = this.next;
			while (end < this.buffer.length && this.buffer[end] != '\n') {
				end++;
			}
			if (end >= this.buffer.length) {
				return -1;
			}
			if (this.buffer[this.next] != type) {
				throw new IllegalArgumentException("No request: expected " + type);
			}
			int number = Integer
				.parseInt(new String(this.buffer, this.next + 1, end - this.next - 2, StandardCharsets.US_ASCII));
			this.next = end + 1;
			return number;
		}

	}

}
