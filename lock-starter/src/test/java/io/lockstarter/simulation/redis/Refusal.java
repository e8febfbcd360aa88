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
