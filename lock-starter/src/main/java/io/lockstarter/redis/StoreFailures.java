// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lockstarter.LockStoreException;
import io.lockstarter.text.PrintableText;
import io.lockstarter.redis.connection.ErrorReply;
import io.lockstarter.redis.connection.FailureText;
import org.jspecify.annotations.Nullable;

/**
 * Factory for exceptions that say what failed, for which lock, and whether the command
 * may have been executed.
 */
final class StoreFailures {

	private StoreFailures() {
	}

	static LockStoreException unsent(String verb, String subject, boolean maybeExecuted, Throwable cause) {
		ErrorReply reply = ErrorReply.of(cause);
		String obstacle = (reply == ErrorReply.UNTRUSTED) ? "the certificate of Redis is not trusted"
				: (reply.isRefusal() && reply.preventsConnections()) ? "Redis refused the connection"
						: "no connection to Redis";
		return new LockStoreException(
				"Cannot %s %s: %s: %s".formatted(verb, subject, obstacle, FailureText.withRemedy(cause)), maybeExecuted,
				!reply.preventsConnections() && !(cause instanceof IllegalStateException),
				reply.isRefusal() || (reply == ErrorReply.OTHER && isAnswer(cause)), printable(cause));
	}

	/**
	 * Return whether a server answered, and the connection was given up for what it said.
	 */
	private static boolean isAnswer(Throwable failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each instanceof RedisCommandExecutionException) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The server replied with an error, which means that the command had no effect,
	 * unless it was repeated.
	 */
	static LockStoreException refused(String verb, String subject, boolean maybeExecuted,
			RedisCommandExecutionException error) {
		String message = String.valueOf(error.getMessage());
		ErrorReply reply = ErrorReply.of(message);
		String hint = (reply == ErrorReply.WRONG_TYPE)
				? "the key, its queue or the fence holds something else than a lock, which is left alone: " : "";
		return new LockStoreException(
				"Redis refused to %s %s: %s%s".formatted(verb, subject, hint, PrintableText.of(message)), maybeExecuted,
				reply.isTransient(), reply == ErrorReply.OTHER || reply.isRefusal(), printable(error));
	}

	/**
	 * A lock was acquired, and given back for what the replicas, or the server, answered.
	 * @param problem what they answered, as it can be printed
	 * @param outcomeUnknown whether it may be held all the same
	 * @param error what the server answered in place of a number, if it did
	 * @param givingBack why it could not be given back, if so
	 */
	static LockStoreException notAcknowledged(String problem, boolean outcomeUnknown, @Nullable String error,
			@Nullable Throwable givingBack) {
		String end = (givingBack != null) ? ", and giving it back failed: " + FailureText.of(givingBack)
				: ", so it was given back";
		boolean passes = error == null || ErrorReply.of(error) == ErrorReply.TRANSIENT;
		return new LockStoreException(problem + end, outcomeUnknown || givingBack != null, passes,
				(givingBack != null) ? printable(givingBack) : null);
	}

	static LockStoreException unreadable(String verb, String subject, RuntimeException cause) {
		return new LockStoreException(
				"The reply from Redis to %s %s cannot be read: %s".formatted(verb, subject, FailureText.of(cause)),
				true, printable(cause));
	}

	/**
	 * A command was repeated, and its reply does not say what the first execution did.
	 */
	static LockStoreException inconclusive(String verb, String subject) {
		return new LockStoreException(
				"The connection to Redis was lost before the reply to %s %s, and came back: it may have been done"
					.formatted(verb, subject),
				true, null);
	}

	/**
	 * Return a failure whose stack trace can be printed, which has the messages in it.
	 * What Redis, or an exception about its reply, says may quote what others wrote.
	 */
	private static Throwable printable(Throwable failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each.getMessage() != null && !PrintableText.isPrintable(each.getMessage())) {
				String message = FailureText.of(failure);
				RedisException copy = (failure instanceof RedisCommandExecutionException)
						? new RedisCommandExecutionException(message) : new RedisException(message);
				copy.setStackTrace(failure.getStackTrace());
				return copy;
			}
		}
		return failure;
	}

}
