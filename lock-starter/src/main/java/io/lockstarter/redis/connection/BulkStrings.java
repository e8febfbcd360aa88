// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

import io.netty.buffer.ByteBuf;

/**
 * Keys or arguments of a script as they go over the wire. Written by one thread, which is
 * the caller's: the one that serves the connection only has to copy them.
 */
public final class BulkStrings {

	/**
	 * Room for a type, a length and two line ends.
	 */
	private static final int FRAME = 16;

	private byte[] bytes;

	private int length;

	private int count;

	/**
	 * Create what has none yet.
	 * @param capacity how many bytes there is room for at first
	 */
	public BulkStrings(int capacity) {
		this.bytes = new byte[capacity];
	}

	/**
	 * Add a text.
	 * @param text the text
	 * @return this
	 */
	public BulkStrings add(String text) {
		return add("", text);
	}

	/**
	 * Add a text.
	 * @param head what it begins with
	 * @param tail what follows
	 * @return this
	 */
	public BulkStrings add(String head, String tail) {
		if (!isAscii(head) || !isAscii(tail)) {
			return add((head + tail).getBytes(StandardCharsets.UTF_8));
		}
		begin(head.length() + tail.length());
		append(head);
		append(tail);
		lineEnd();
		return this;
	}

	/**
	 * Add a number.
	 * @param number the number, which is not negative
	 * @return this
	 */
	public BulkStrings add(long number) {
		int digits = 1;
		for (long rest = number; rest >= 10; rest /= 10) {
			digits++;
		}
		begin(digits);
		number(number);
		lineEnd();
		return this;
	}

	/**
	 * Add the texts of another, in their order.
	 * @param others the texts
	 * @return this
	 */
	public BulkStrings addAll(BulkStrings others) {
		grow(others.length);
		System.arraycopy(others.bytes, 0, this.bytes, this.length, others.length);
		this.length += others.length;
		this.count += others.count;
		return this;
	}

	int count() {
		return this.count;
	}

	void writeTo(ByteBuf out) {
		out.writeBytes(this.bytes, 0, this.length);
	}

	/**
	 * Return whether there is a text that both have.
	 */
	boolean intersects(BulkStrings other) {
		return !Collections.disjoint(texts(), other.texts());
	}

	private Set<ByteBuffer> texts() {
		Set<ByteBuffer> texts = new HashSet<>();
		for (int next = 0; next < this.length;) {
			int size = 0;
			for (next++; this.bytes[next] != '\r'; next++) {
				size = 10 * size + this.bytes[next] - '0';
			}
			texts.add(ByteBuffer.wrap(this.bytes, next + 2, size));
			next += 2 + size + 2;
		}
		return texts;
	}

	private BulkStrings add(byte[] encoded) {
		begin(encoded.length);
		System.arraycopy(encoded, 0, this.bytes, this.length, encoded.length);
		this.length += encoded.length;
		lineEnd();
		return this;
	}

	private void begin(int size) {
		grow(size + FRAME);
		this.count++;
		this.bytes[this.length++] = '$';
		number(size);
		lineEnd();
	}

	private void grow(int size) {
		int needed = this.length + size;
		if (this.bytes.length < needed) {
			this.bytes = Arrays.copyOf(this.bytes, Math.max(2 * this.bytes.length, needed));
		}
	}

	@SuppressWarnings("deprecation") // the one way that copies ASCII without a detour
	private void append(String ascii) {
		ascii.getBytes(0, ascii.length(), this.bytes, this.length);
		this.length += ascii.length();
	}

	private static boolean isAscii(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (text.charAt(i) >= 0x80) {
				return false;
			}
		}
		return true;
	}

	private void number(long value) {
		if (value >= 10) {
			number(value / 10);
		}
		this.bytes[this.length++] = (byte) ('0' + value % 10);
	}

	private void lineEnd() {
		this.bytes[this.length++] = '\r';
		this.bytes[this.length++] = '\n';
	}

}
