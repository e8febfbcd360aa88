package io.lockstarter.redis;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

import io.lockstarter.LockStoreException;

/**
 * Says what failed, of which lock, and whether it may have happened all the same.
 */
final class StoreFailures {

	private StoreFailures() {
	}

	/**
	 * There was no connection to send the command over.
	 */
	static LockStoreException unsent(String verb, String subject, Throwable cause) {
		return new LockStoreException(
				"Cannot %s %s: no connection to Redis: %s".formatted(verb, subject, describe(cause)), false, cause);
	}

	/**
	 * The command ended without a good reply. An error reply means that it had no effect,
	 * unless it was the reply to a repetition.
	 */
	static LockStoreException of(String verb, String subject, @Nullable Throwable failure, boolean repeated) {
		if (failure instanceof RedisCommandExecutionException) {
			String message = String.valueOf(failure.getMessage());
			String hint = message.contains("WRONGTYPE")
					? "the key, or its :fence or :queue, holds something else than a lock, which is left alone: " : "";
			return new LockStoreException("Redis refused to %s %s: %s%s".formatted(verb, subject, hint, message),
					repeated, failure);
		}
		return new LockStoreException("No reply from Redis to %s %s: %s".formatted(verb, subject, describe(failure)),
				true, failure);
	}

	/**
	 * The reply speaks of the repetition of a command, not of the command.
	 */
	static LockStoreException inconclusive(String verb, String subject) {
		return new LockStoreException(
				"The connection to Redis was lost before the reply to %s %s, and came back: it may have been done"
					.formatted(verb, subject),
				true, null);
	}

	// The client says who could not be reached, its cause why.
	private static String describe(@Nullable Throwable failure) {
		if (failure == null) {
			return "nothing at all";
		}
		Throwable cause = failure.getCause();
		String message = (failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getSimpleName();
		return (cause == null || cause.getMessage() == null || message.contains(cause.getMessage())) ? message
				: message + ": " + cause.getMessage();
	}

}
