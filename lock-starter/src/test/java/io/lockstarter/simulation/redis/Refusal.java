// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

/**
 * A command ends with an error reply.
 */
final class Refusal extends RuntimeException {

	private static final long serialVersionUID = 1L;

	static final String NO_INTEGER = "ERR value is not an integer or out of range";

	static final String SYNTAX = "ERR syntax error";

	Refusal(String message) {
		super(message, null, false, false);
	}

	Reply reply() {
		return new Reply.Failure(message().replace('\r', ' ').replace('\n', ' '));
	}

	String message() {
		return String.valueOf(getMessage());
	}

}
