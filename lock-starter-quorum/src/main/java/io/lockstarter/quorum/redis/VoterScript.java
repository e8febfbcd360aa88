// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lettuce.core.RedisConnectionException;
import io.lockstarter.redis.ScriptPart;
import org.jspecify.annotations.Nullable;

/**
 * Makes what a server says of a lock one vote of several, and has servers abstain that do
 * not remember themselves. A server must say who it is. Thread-safe.
 */
final class VoterScript extends ScriptPart {

	private static final String COMMANDS = read(VoterScript.class, "quorum");

	private volatile Consumer<String> serverCheck = (server) -> {
	};

	VoterScript(Duration abstention) {
		super("local abstention = %d\n%s".formatted(abstention.toMillis(), COMMANDS));
	}

	void checkServers(Consumer<String> check) {
		this.serverCheck = check;
	}

	@Override
	protected List<String> firstKeys(String tag, boolean asks) {
		return List.of(tag + "server", tag + "joining");
	}

	@Override
	protected void checkServer(@Nullable String runId) {
		if (runId == null) {
			throw new RedisConnectionException(
					"the server does not say whether it was restarted, as the user has no permission for INFO");
		}
		try {
			this.serverCheck.accept(runId);
		}
		catch (IllegalStateException ex) {
			throw new RedisConnectionException(String.valueOf(ex.getMessage()));
		}
	}

	@Override
	protected String whileUnreachable(String address) {
		return "the vote of %s is missing. Look at it, at the network and at 'distributed-lock.quorum.nodes'"
			.formatted(address);
	}

}
