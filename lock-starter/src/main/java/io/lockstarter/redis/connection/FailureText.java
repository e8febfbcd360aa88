// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.concurrent.CompletionException;

import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Describes failures of the client.
 */
public final class FailureText {

	// of Lettuce, if no Sentinel answers, or what answers is none
	private static final String NO_PRIMARY = "SENTINEL MASTER";

	private static final String NO_SENTINEL = """
			look whether Sentinels, and not Redis itself, are at 'spring.data.redis.sentinel.nodes' or in \
			'distributed-lock.url', and know the primary by the name that stands there""";

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

	/**
	 * Say what went wrong with a connection, and what to do about it.
	 * @param failure the failure
	 * @return a text in one line
	 */
	public static String withRemedy(Throwable failure) {
		String text = of(failure);
		String remedy = ErrorReply.of(failure).remedy();
		if (remedy.isEmpty() && text.contains(NO_PRIMARY)) {
			remedy = NO_SENTINEL;
		}
		return remedy.isEmpty() ? text : text.replaceFirst("[. ]+$", "") + ": " + remedy;
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
