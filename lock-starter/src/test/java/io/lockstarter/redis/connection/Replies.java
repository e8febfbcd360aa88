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
