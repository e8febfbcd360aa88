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
package io.lockstarter.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The protocol of Redis, as a server writes and reads it.
 */
public final class Resp {

	private Resp() {
	}

	/**
	 * Write a reply: {@code null}, a number, a text or bytes (as a bulk string), a list
	 * of replies, or what {@link #status}, {@link #error} and {@link #push} made.
	 */
	public static byte[] of(@Nullable Object reply) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		write(reply, out);
		return out.toByteArray();
	}

	/**
	 * Return a reply such as {@code OK}.
	 */
	public static Object status(String text) {
		return new Line('+', text);
	}

	/**
	 * Return an error, such as {@code NOSCRIPT No matching script}.
	 */
	public static Object error(String text) {
		return new Line('-', text);
	}

	/**
	 * Return what a server sends of its own accord, such as {@code message}, the channel
	 * and the text; and its answer to a subscription: {@code subscribe}, the channel and
	 * the number of subscriptions.
	 */
	public static Object push(Object... parts) {
		return new Push(List.of(parts));
	}

	/**
	 * Read the requests that are whole, one after the other.
	 * @param unread what has been received; what is read is taken out
	 */
	static List<List<byte[]>> requests(ByteArrayOutputStream unread) {
		byte[] bytes = unread.toByteArray();
		List<List<byte[]>> requests = new ArrayList<>();
		Reader reader = new Reader(bytes);
		int read = 0;
		for (List<byte[]> next = reader.request(); next != null; next = reader.request()) {
			requests.add(next);
			read = reader.position;
		}
		if (read > 0) {
			unread.reset();
			unread.write(bytes, read, bytes.length - read);
		}
		return requests;
	}

	/**
	 * Return the words of a request as text.
	 */
	public static List<String> words(List<byte[]> request) {
		return request.stream().map((word) -> new String(word, StandardCharsets.UTF_8)).toList();
	}

	private static void write(@Nullable Object reply, ByteArrayOutputStream out) {
		if (reply == null) {
			line('_', "", out);
		}
		else if (reply instanceof Number number) {
			line(':', number.toString(), out);
		}
		else if (reply instanceof Line line) {
			line(line.kind, line.text, out);
		}
		else if (reply instanceof List<?> list) {
			line('*', Integer.toString(list.size()), out);
			list.forEach((each) -> write(each, out));
		}
		else if (reply instanceof Push push) {
			line('>', Integer.toString(push.parts.size()), out);
			push.parts.forEach((each) -> write(each, out));
		}
		else {
			byte[] bytes = (reply instanceof byte[] raw) ? raw : reply.toString().getBytes(StandardCharsets.UTF_8);
			line('$', Integer.toString(bytes.length), out);
			out.writeBytes(bytes);
			out.writeBytes(new byte[] { '\r', '\n' });
		}
	}

	private static void line(char kind, String text, ByteArrayOutputStream out) {
		out.write(kind);
		out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
		out.writeBytes(new byte[] { '\r', '\n' });
	}

	private record Line(char kind, String text) {
	}

	private record Push(List<Object> parts) {
	}

	private static final class Reader {

		private final byte[] bytes;

		private int position;

		Reader(byte[] bytes) {
			this.bytes = bytes;
		}

		/**
		 * Read a request: an array of bulk strings.
		 */
		@Nullable List<byte[]> request() {
			int count = number('*');
			List<byte[]> words = new ArrayList<>(Math.max(0, count));
			for (int i = 0; i < count; i++) {
				int length = number('$');
				if (length < 0 || this.position + length + 2 > this.bytes.length) {
					return null;
				}
				byte[] word = new byte[length];
				System.arraycopy(this.bytes, this.position, word, 0, length);
				words.add(word);
				this.position += length + 2;
			}
			return (count < 0) ? null : words;
		}

		private int number(char kind) {
			int end = this.position;
			while (end < this.bytes.length && this.bytes[end] != '\r') {
				end++;
			}
			if (end + 1 >= this.bytes.length) {
				return -1;
			}
			if (this.bytes[this.position] != kind) {
				throw new IllegalStateException("no request: " + new String(this.bytes, StandardCharsets.UTF_8));
			}
			int number = Integer
				.parseInt(new String(this.bytes, this.position + 1, end - this.position - 1, StandardCharsets.UTF_8));
			this.position = end + 2;
			return number;
		}

	}

}
