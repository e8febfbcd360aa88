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

import java.util.concurrent.CompletionException;

import io.lockstarter.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Describes failures of the client.
 */
public final class FailureText {

	private FailureText() {
	}

	/**
	 * Say what went wrong, as it can be printed: the client says who could not be
	 * reached, its cause why.
	 * @param failure the failure
	 * @return a text in one line
	 */
	public static String of(@Nullable Throwable failure) {
		return PrintableText.of(raw(failure));
	}

	private static String raw(@Nullable Throwable failure) {
		if (failure == null) {
			return "nothing at all";
		}
		Throwable cause = failure.getCause();
		if (cause != null && (failure instanceof CompletionException || failure.getMessage() == null)) {
			return raw(cause);
		}
		String message = (failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getSimpleName();
		return (cause == null || cause.getMessage() == null || message.contains(cause.getMessage())) ? message
				: message + ": " + cause.getMessage();
	}

}
