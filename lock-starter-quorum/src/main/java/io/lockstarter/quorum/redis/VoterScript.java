// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.lettuce.core.RedisConnectionException;
import io.lockstarter.redis.NewServer;
import io.lockstarter.redis.ScriptPart;

/**
 * Makes what a server says of a lock one vote of several, and has servers abstain that do
 * not remember themselves. A server must say who it is. Thread-safe.
 */
final class VoterScript extends ScriptPart {

	/**
	 * How long to remember a server, which takes itself for one that lost its memory when
	 * it is over: for ever, as connections may last.
	 */
	private static final Duration RETENTION = Duration.ofDays(36_500);

	private static final String COMMANDS = read(VoterScript.class, "quorum");

	private static final String JOIN = read(VoterScript.class, "join");

	private final Duration abstention;

	private volatile Consumer<String> serverCheck = (server) -> {
	};

	VoterScript(Duration abstention) {
		super("local abstention = %d\n%s".formatted(abstention.toMillis(), COMMANDS));
		this.abstention = abstention;
	}

	void checkServers(Consumer<String> check) {
		this.serverCheck = check;
	}

	@Override
	protected List<String> firstKeys(String tag, boolean asks) {
		return List.of(tag + "server", tag + "joining");
	}

	/**
	 * Let the server abstain if it does not remember itself. It took over from nobody: it
	 * forgot, and tokens leap as if it did so when it votes again, as others may have
	 * leapt a moment ago, by a faster clock.
	 */
	@Override
	protected CompletionStage<String> prepare(NewServer server) {
		String identity = server.identity();
		String runId = server.runId();
		if (identity == null || runId == null) {
			return CompletableFuture.failedFuture(new RedisConnectionException(
					"the server does not say whether it was restarted, as the user has no permission for INFO"));
		}
		try {
			this.serverCheck.accept(runId);
		}
		catch (IllegalStateException ex) {
			return CompletableFuture.failedFuture(new RedisConnectionException(String.valueOf(ex.getMessage())));
		}
		return server.eval(JOIN, firstKeys(server.tag(), false), identity, Long.toString(this.abstention.toMillis()))
			.thenCompose((joined) -> server.follow(NewServer.LEAP.plus(this.abstention), RETENTION, false));
	}

	@Override
	protected String whileUnreachable(String address) {
		return "the vote of %s is missing. Look at it, at the network and at 'distributed-lock.quorum.nodes'"
			.formatted(address);
	}

}
