package io.lockstarter.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.netty.buffer.ByteBuf;

/**
 * Keys or arguments of a script as they go over the wire. Written by one thread, which is
 * the caller's: the one that serves the connection only has to copy them.
 */
final class BulkStrings {

	/**
	 * Room for a type, a length and two line ends.
	 */
	private static final int FRAME = 16;

	private byte[] bytes = new byte[160];

	private int length;

	private int count;

	BulkStrings add(String text) {
		byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
		ensureRoom(encoded.length + FRAME);
		this.bytes[this.length++] = '$';
		number(encoded.length);
		lineEnd();
		System.arraycopy(encoded, 0, this.bytes, this.length, encoded.length);
		this.length += encoded.length;
		lineEnd();
		this.count++;
		return this;
	}

	BulkStrings add(long number) {
		return add(Long.toString(number));
	}

	int count() {
		return this.count;
	}

	void writeTo(ByteBuf out) {
		out.writeBytes(this.bytes, 0, this.length);
	}

	private void ensureRoom(int more) {
		if (this.bytes.length - this.length < more) {
			this.bytes = Arrays.copyOf(this.bytes, Math.max(2 * this.bytes.length, this.length + more));
		}
	}

	private void number(int value) {
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
