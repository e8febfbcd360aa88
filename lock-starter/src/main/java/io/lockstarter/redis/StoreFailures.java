package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;

import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

import io.lockstarter.LockStoreException;

/**
 * Says what failed, of which lock, and whether it may have happened all the same.
 */
final class StoreFailures {

	private static final String DEMOTED = "READONLY";

	// What a server says that is starting, busy, or about to be replaced.
	private static final List<String> TRANSIENT = List.of(DEMOTED, "LOADING", "BUSY", "MASTERDOWN", "NOREPLICAS",
			"TRYAGAIN", "CLUSTERDOWN", "NOSCRIPT");

	// What a server says whom it does not let in.
	private static final List<String> DENIED = List.of("WRONGPASS", "NOAUTH", "NOPERM");

	// How Redis 6.2 begins an error that a command had inside of a script.
	private static final Pattern IN_SCRIPT = Pattern.compile("^@user_script: ?\\d+: -?");

	private StoreFailures() {
	}

	/**
	 * Return an error reply as the server gives it outside of scripts.
	 * @param error the reply
	 * @return what begins with the kind of error
	 */
	static String plain(String error) {
		return IN_SCRIPT.matcher(error).replaceFirst("").stripTrailing();
	}

	/**
	 * Return whether a server refuses to write because it is no primary any more.
	 * @param error its error reply
	 * @return whether another server is to be asked
	 */
	static boolean isDemotion(String error) {
		return error.startsWith(DEMOTED);
	}

	/**
	 * There is no connection to send the command over.
	 */
	static LockStoreException unsent(String verb, String subject, boolean maybeExecuted, Throwable cause) {
		return new LockStoreException(
				"Cannot %s %s: no connection to Redis: %s".formatted(verb, subject, describe(cause)), maybeExecuted,
				!(cause instanceof IllegalStateException) && DENIED.stream().noneMatch(describe(cause)::contains),
				cause);
	}

	/**
	 * The server replied with an error, which means that the command had no effect,
	 * unless it was repeated.
	 */
	static LockStoreException refused(String verb, String subject, boolean maybeExecuted,
			RedisCommandExecutionException error) {
		String message = String.valueOf(error.getMessage());
		String hint = message.contains("WRONGTYPE")
				? "the key, its queue or the fence holds something else than a lock, which is left alone: " : "";
		return new LockStoreException("Redis refused to %s %s: %s%s".formatted(verb, subject, hint, message),
				maybeExecuted, TRANSIENT.stream().anyMatch(message::startsWith), error);
	}

	/**
	 * The reply makes no sense.
	 */
	static LockStoreException unreadable(String verb, String subject, RuntimeException cause) {
		return new LockStoreException(
				"The reply from Redis to %s %s cannot be read: %s".formatted(verb, subject, describe(cause)), true,
				cause);
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

	/**
	 * Say what went wrong: the client says who could not be reached, its cause why.
	 * @param failure what was thrown, in whatever wrapping
	 * @return a sentence without a full stop
	 */
	static String describe(@Nullable Throwable failure) {
		if (failure == null) {
			return "nothing at all";
		}
		Throwable cause = failure.getCause();
		if (failure instanceof CompletionException && cause != null) {
			return describe(cause);
		}
		String message = (failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getSimpleName();
		return (cause == null || cause.getMessage() == null || message.contains(cause.getMessage())) ? message
				: message + ": " + cause.getMessage();
	}

}
