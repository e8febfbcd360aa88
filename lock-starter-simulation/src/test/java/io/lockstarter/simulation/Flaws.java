// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether a failure says what went wrong: of which lock, and why.
 */
final class Flaws {

	private static final Pattern MAJORITY = Pattern
		.compile("no majority of the (\\d+) servers answered: (the time is over|node \\d+: .*)", Pattern.DOTALL);

	private static final Pattern EMPTY = Pattern.compile(":\\s*(;|$)");

	private Flaws() {
	}

	/**
	 * Return what is wrong with a failure of a store, or of a call.
	 * @param keys what it is about; empty if that is all
	 * @return what is wrong; {@code null} if nothing is
	 */
	static @Nullable String of(Throwable failure, List<String> keys) {
		Throwable cause = Instance.cause(failure);
		if (!(cause instanceof LockStoreException || cause instanceof LockNotAcquiredException)) {
			// A request that was cancelled, or a registry that is shut down.
			return (cause instanceof IllegalStateException) ? null : String.valueOf(cause);
		}
		String message = String.valueOf(cause.getMessage());
		// Of several keys a command names one, and how many others there are.
		boolean named = keys.isEmpty() || message.contains(" others") || cause instanceof LockNotAcquiredException
				|| keys.stream().anyMatch(message::contains);
		Matcher majority = MAJORITY.matcher(message);
		boolean empty = EMPTY.matcher(message).find() || message.contains("null");
		boolean counted = !message.contains("no majority of the") || majority.find();
		return (named && !empty && counted) ? null : "'" + message + "'";
	}

}
