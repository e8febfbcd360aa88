// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.redis.connection.ErrorReply;
import io.lockstarter.redis.connection.ServerInfo;
import org.jspecify.annotations.Nullable;

/**
 * A server at the other end of a connection that was just made. Immutable.
 *
 * @since 0.1
 */
public final class NewServer {

	/**
	 * By how much tokens leap on a server that took over: longer than Sentinels leave a
	 * primary that they replaced as it is, and than clocks of servers may differ.
	 */
	public static final Duration LEAP = BatchScript.TAKEOVER;

	/**
	 * How long to remember on which server tokens were handed out, from the last
	 * connection on.
	 */
	private static final Duration RETENTION = Duration.ofDays(30);

	private final RedisAsyncCommands<String, String> redis;

	private final ServerInfo info;

	private final RedisNames names;

	private final StoreScripts scripts;

	private final boolean moved;

	NewServer(RedisAsyncCommands<String, String> redis, ServerInfo info, RedisNames names, StoreScripts scripts,
			boolean moved) {
		this.redis = redis;
		this.info = info;
		this.names = names;
		this.scripts = scripts;
		this.moved = moved;
	}

	/**
	 * Return what identifies the process of the server.
	 * @return the run id; {@code null} if unknown
	 */
	public @Nullable String runId() {
		return this.info.runId();
	}

	/**
	 * Return what identifies the server for as long as it is a primary.
	 * @return the run id and the id of its replication; {@code null} if unknown
	 */
	public @Nullable String identity() {
		return this.info.identity();
	}

	/**
	 * Return what all keys of the store begin with.
	 * @return the hash tag, with its braces
	 */
	public String tag() {
		return this.names.tag();
	}

	/**
	 * Run a script that is seldom run, and that replies a number or nothing.
	 * @param script its text
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return when it has run
	 */
	public CompletionStage<?> eval(String script, List<String> keys, String... arguments) {
		return StoreScripts.eval(this.redis, script, ScriptOutputType.INTEGER, keys.toArray(String[]::new), arguments);
	}

	/**
	 * Make tokens leap ahead on a server that took over from another.
	 * @param leap how far
	 * @param retention how long to remember the server
	 * @param takenOver whether it took over for sure, although it may remember itself
	 * @return the id of its replication; empty if that is unknown
	 */
	public CompletionStage<String> follow(Duration leap, Duration retention, boolean takenOver) {
		return this.scripts
			.follow(this.redis, this.names, String.valueOf(this.info.identity()),
					TimeUnit.MILLISECONDS.toMicros(leap.toMillis()), retention, takenOver)
			.thenApply((reply) -> (String) reply.get(1));
	}

	/**
	 * Make tokens larger than those of a server before this one, if the server says who
	 * it is.
	 * @return the id of its replication; empty if that is unknown
	 */
	CompletionStage<String> prepare() {
		if (this.info.identity() == null) {
			return CompletableFuture.completedFuture("");
		}
		return follow(LEAP, RETENTION, this.moved).handle((reign, failure) -> {
			if (failure != null && !isHarmless(failure)) {
				throw new CompletionException(failure);
			}
			return (failure == null) ? reign : "";
		});
	}

	/**
	 * A server that denies the script keeps tokens by its clock alone. One without memory
	 * hands out no tokens, but renews and releases. Any other that fails here would do so
	 * with every command, and would hand out tokens that had not leapt once it recovers.
	 */
	private static boolean isHarmless(Throwable failure) {
		return switch (ErrorReply.of(failure)) {
			case NOT_PERMITTED, NO_MEMORY, WRONG_TYPE -> true;
			default -> false;
		};
	}

}
