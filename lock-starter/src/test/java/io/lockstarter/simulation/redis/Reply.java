// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a server answers. Immutable.
 */
public sealed interface Reply {

	/**
	 * No value.
	 */
	Reply NIL = new Nil();

	/**
	 * The status of most commands without a result.
	 */
	Reply OK = new Status("OK");

	/**
	 * What commands for subscriptions answer: their confirmations are pushed.
	 */
	Reply NOTHING = new Nothing();

	/**
	 * A status, without the {@code +}.
	 *
	 * @param text what it says
	 */
	record Status(String text) implements Reply {
	}

	/**
	 * An error, without the {@code -}.
	 *
	 * @param message what it says
	 */
	record Failure(String message) implements Reply {
	}

	/**
	 * An integer.
	 *
	 * @param value the integer
	 */
	record Int(long value) implements Reply {
	}

	/**
	 * Any bytes.
	 *
	 * @param raw a character for each byte
	 */
	record Bulk(String raw) implements Reply {

		/**
		 * Return the bytes.
		 * @return a new array
		 */
		public byte[] bytes() {
			return this.raw.getBytes(StandardCharsets.ISO_8859_1);
		}

		/**
		 * Return the bytes as text.
		 * @return the text
		 */
		public String text() {
			return new String(bytes(), StandardCharsets.UTF_8);
		}

	}

	/**
	 * Several replies.
	 *
	 * @param elements the replies, in order
	 */
	record Array(List<Reply> elements) implements Reply {
	}

	/**
	 * What comes without having been asked for, in version 3 of the protocol.
	 *
	 * @param elements its parts, in order
	 */
	record Push(List<Reply> elements) implements Reply {
	}

	/**
	 * Names and their values, in version 3 of the protocol.
	 *
	 * @param elements each name followed by its value
	 */
	record Pairs(List<Reply> elements) implements Reply {
	}

	/**
	 * See {@link #NIL}.
	 */
	record Nil() implements Reply {
	}

	/**
	 * See {@link #NOTHING}.
	 */
	record Nothing() implements Reply {
	}

	static Reply of(long value) {
		return new Int(value);
	}

	static Reply of(String text) {
		return new Bulk(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
	}

	static Reply of(boolean value) {
		return new Int(value ? 1 : 0);
	}

	static Reply ofAll(Reply... elements) {
		return new Array(List.of(elements));
	}

	static Reply ofTexts(List<String> raw) {
		return new Array(raw.stream().<Reply>map(Bulk::new).toList());
	}

}
