// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.ErrorReply;
import io.lockstarter.redis.connection.ServerInfo;

/**
 * The script for all locks that share a hash tag. Immutable.
 *
 * @param scripts supplies the scripts; called when somebody connects
 * @param servers checks the process of each server before it votes
 */
record LockScript(Supplier<StoreScripts> scripts, RedisNames names, Consumer<String> servers) implements BatchScript {

	@Override
	public byte[] text() {
		return this.scripts.get().loaded();
	}

	@Override
	public int slot() {
		return this.names.slot();
	}

	@Override
	public BulkStrings head(boolean inFull) {
		return this.scripts.get().head(inFull);
	}

	@Override
	public BulkStrings firstKeys() {
		return new BulkStrings(64).add(this.names.fence());
	}

	/**
	 * Make tokens larger than those of a server before this one. One that votes may grant
	 * nothing unless it is known who it is.
	 */
	@Override
	public CompletionStage<String> prepare(RedisAsyncCommands<String, String> redis, ServerInfo server, boolean moved) {
		boolean votes = this.scripts.get().votes();
		String identity = server.identity();
		if (identity == null) {
			return votes
					? CompletableFuture.failedFuture(new RedisConnectionException(
							"the server does not say whether it was restarted, as the user has no permission for INFO"))
					: CompletableFuture.completedFuture("");
		}
		String runId = server.runId();
		if (votes && runId != null) {
			try {
				check(runId);
			}
			catch (RedisConnectionException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}
		return follow(redis, identity, moved).handle((reign, failure) -> {
			if (failure != null && (votes || !isHarmless(failure))) {
				throw new CompletionException(failure);
			}
			return (failure == null) ? reign : "";
		});
	}

	/**
	 * Check a server that votes.
	 * @param server what identifies its process
	 * @throws RedisConnectionException if it must not vote
	 */
	private void check(String server) {
		try {
			this.servers.accept(server);
		}
		catch (IllegalStateException ex) {
			throw new RedisConnectionException(String.valueOf(ex.getMessage()));
		}
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

	/**
	 * Make tokens leap ahead on a server that took over; a server of a quorum abstains
	 * before.
	 * @param moved whether the client comes from another server
	 * @return the id of the server's replication; empty if unknown
	 */
	private CompletionStage<String> follow(RedisAsyncCommands<String, String> redis, String identity, boolean moved) {
		StoreScripts texts = this.scripts.get();
		CompletionStage<List<Object>> followed = texts.votes()
				? texts.join(redis, this.names, identity)
					.thenCompose((joined) -> texts.follow(redis, this.names, identity, moved))
				: texts.follow(redis, this.names, identity, moved);
		return followed.thenApply((reply) -> (String) reply.get(1));
	}

}
