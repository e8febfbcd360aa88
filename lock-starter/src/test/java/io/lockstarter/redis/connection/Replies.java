// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

/**
 * What comes from a server, for tests of other packages.
 */
public final class Replies {

	private Replies() {
	}

	/**
	 * Answer a command by a reply of the script.
	 */
	public static void answer(ScriptCommand<?> command, Object reply) {
		command.answer(reply);
	}

	/**
	 * Lose the connection after a command was written.
	 */
	public static void lose(ScriptCommand<?> command) {
		command.unanswered(true);
	}

	/**
	 * Read the answer to {@code INFO}.
	 */
	public static ServerInfo info(String answer) {
		return ServerInfo.of(answer);
	}

}
