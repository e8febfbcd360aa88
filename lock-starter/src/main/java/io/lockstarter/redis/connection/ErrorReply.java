// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Kinds of error replies from Redis, by what they begin with.
 */
public enum ErrorReply {

	/**
	 * The server is a replica now, perhaps since a moment ago: another one is the
	 * primary. That is what a command is answered with, or what we say of a server that
	 * calls itself one.
	 */
	DEMOTED("READONLY|UNBLOCKED|ERR WAIT cannot be used with replica|the server is a replica"),

	/**
	 * Another node of the cluster has the keys, and the reply says which.
	 */
	MOVED("MOVED "),

	/**
	 * The cluster cannot serve the keys at the moment, above all because they are being
	 * moved to another node.
	 */
	UNSETTLED("ASK |TRYAGAIN|CLUSTERDOWN|.*non local key"),

	/**
	 * The server is starting, busy, or about to be replaced, or does not vote yet.
	 */
	TRANSIENT("LOADING|BUSY|MASTERDOWN|NOREPLICAS|NOSCRIPT|ABSTAIN"),

	/**
	 * The user cannot log in.
	 */
	NOT_LOGGED_IN("WRONGPASS|NOAUTH"),

	/**
	 * The user may log in, but not do this. Inside of a script, Redis up to 7.0 says so
	 * in other words, and Redis 7.2 and Valkey in others again.
	 */
	NOT_PERMITTED("NOPERM|(ERR )?(The user executing the script can't |ACL failure in script)"),

	/**
	 * The server takes no writes because its memory is full.
	 */
	NO_MEMORY("OOM"),

	/**
	 * The key holds another type of value.
	 */
	WRONG_TYPE("WRONGTYPE"),

	/**
	 * The server is too old for the command, or somebody renamed it.
	 */
	UNKNOWN_COMMAND("ERR unknown command"),

	/**
	 * Any other, or no error reply at all.
	 */
	OTHER("");

	// How Redis 6.2 begins an error that a command had inside of a script.
	private static final Pattern IN_SCRIPT = Pattern.compile("^@user_script: ?\\d+: -?");

	// Compiled once: while a server is away each command fails.
	private final Pattern beginning;

	ErrorReply(String beginning) {
		this.beginning = Pattern.compile(beginning);
	}

	/**
	 * Return the kind of an error reply.
	 * @param error the reply, or what a script passed on of it
	 * @return its kind
	 */
	public static ErrorReply of(String error) {
		String plain = plain(error);
		return Arrays.stream(values())
			.filter((kind) -> kind.beginning.matcher(plain).lookingAt())
			.findFirst()
			.orElse(OTHER);
	}

	/**
	 * Return the kind of the error reply that the description of a failure contains.
	 * @param failure the failure, perhaps with the reply in its causes
	 * @return its kind; {@link #OTHER} if there is none
	 */
	public static ErrorReply of(Throwable failure) {
		return Arrays.stream(FailureText.of(failure).split(": -?"))
			.map(ErrorReply::of)
			.filter((kind) -> kind != OTHER)
			.findFirst()
			.orElse(OTHER);
	}

	/**
	 * Return whether the same command may succeed later, if nobody changes anything.
	 * @return true if so
	 */
	public boolean isTransient() {
		return this == TRANSIENT || isForAnotherTry();
	}

	/**
	 * Return whether the server is known not to serve until somebody changes something,
	 * or another server is asked.
	 * @return true if so
	 */
	public boolean isRefusal() {
		return switch (this) {
			case DEMOTED, NOT_LOGGED_IN, NOT_PERMITTED, NO_MEMORY, WRONG_TYPE, UNKNOWN_COMMAND -> true;
			case MOVED, UNSETTLED, TRANSIENT, OTHER -> false;
		};
	}

	/**
	 * Return whether the command is to be sent again, to another server or in a moment.
	 */
	boolean isForAnotherTry() {
		return this == DEMOTED || this == MOVED || this == UNSETTLED;
	}

	/**
	 * Return whether a call of the script that is answered so was not executed at all.
	 * Any other error may have come in the midst of it.
	 */
	boolean precedesExecution() {
		return this != OTHER;
	}

	/**
	 * Return an error reply as Redis 7 gives it.
	 */
	static String plain(String error) {
		return IN_SCRIPT.matcher(error).replaceFirst("").stripTrailing();
	}

}
