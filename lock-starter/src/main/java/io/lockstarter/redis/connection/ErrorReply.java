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
	DEMOTED("READONLY|MASTERDOWN|UNBLOCKED|ERR WAIT cannot be used with replica|the server is a replica"),

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
	 * The server is starting, busy, or about to be replaced.
	 */
	TRANSIENT("LOADING|BUSY|NOREPLICAS|NOSCRIPT"),

	/**
	 * The user cannot log in.
	 */
	NOT_LOGGED_IN("WRONGPASS|NOAUTH",
			"look at 'spring.data.redis.username' and '.password', 'distributed-lock.url' or '.quorum.nodes'"),

	/**
	 * The server keeps its keys in another way than clients with these settings: what we
	 * say of one that calls itself a node or a Sentinel, or what it answers.
	 */
	WRONG_MODE("the server is a node|the server is a Sentinel|ERR This instance has cluster support disabled",
			"set 'spring.data.redis.cluster.nodes' for a Redis Cluster, 'spring.data.redis.sentinel.*' for Sentinels, "
					+ "'spring.data.redis.host' or 'distributed-lock.url' for any other Redis"),

	/**
	 * The server does not have the database.
	 */
	NO_DATABASE("ERR (invalid DB index|DB index is out of range|SELECT is not allowed)",
			"look at 'spring.data.redis.database', 'distributed-lock.url' or '.quorum.nodes'"),

	/**
	 * The certificate of the server is not accepted. JDK 25 says first what kind of alert
	 * that is.
	 */
	UNTRUSTED("(\\(\\w+\\) )?(PKIX path|No subject alternative|No name matching)",
			"look at 'spring.data.redis.ssl.bundle' or 'distributed-lock.ssl-bundle', and at the certificate"),

	/**
	 * The server has as many connections as it takes.
	 */
	TOO_MANY_CLIENTS("ERR max number of clients", "look at its 'maxclients', and who is connected to it"),

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
	UNKNOWN_COMMAND("ERR unknown command", "locks need a Redis that has the command, by its own name"),

	/**
	 * Any other, or no error reply at all.
	 */
	OTHER("");

	// How Redis 6.2 begins an error that a command had inside of a script.
	private static final Pattern IN_SCRIPT = Pattern.compile("^@user_script: ?\\d+: -?");

	// Compiled once: while a server is away each command fails.
	private final Pattern beginning;

	private final String remedy;

	ErrorReply(String beginning) {
		this(beginning, "");
	}

	ErrorReply(String beginning, String remedy) {
		this.beginning = Pattern.compile(beginning);
		this.remedy = remedy;
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
		return this == TRANSIENT || this == TOO_MANY_CLIENTS || isForAnotherTry();
	}

	/**
	 * Return whether a connection that fails so will fail until somebody changes
	 * something.
	 * @return true if so
	 */
	public boolean preventsConnections() {
		return switch (this) {
			case NOT_LOGGED_IN, NOT_PERMITTED, WRONG_MODE, NO_DATABASE, UNTRUSTED, UNKNOWN_COMMAND -> true;
			case DEMOTED, MOVED, UNSETTLED, TRANSIENT, TOO_MANY_CLIENTS, NO_MEMORY, WRONG_TYPE, OTHER -> false;
		};
	}

	/**
	 * Return what to do about a connection that fails so.
	 * @return what to look at; empty if that is known by itself
	 */
	public String remedy() {
		return this.remedy;
	}

	/**
	 * Return whether the server is known not to serve until somebody changes something,
	 * or another server is asked.
	 * @return true if so
	 */
	public boolean isRefusal() {
		return switch (this) {
			case DEMOTED, NOT_LOGGED_IN, NOT_PERMITTED, WRONG_MODE, NO_DATABASE, TOO_MANY_CLIENTS, NO_MEMORY,
					WRONG_TYPE, UNKNOWN_COMMAND ->
				true;
			case MOVED, UNSETTLED, TRANSIENT, UNTRUSTED, OTHER -> false;
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
