// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lettuce.core.RedisClient;
import io.lockstarter.LockMode;
import io.lockstarter.quorum.VotingStore;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptPart;
import io.lockstarter.redis.connection.ApplicationRedis;
import org.jspecify.annotations.Nullable;

/**
 * One server of several, whose answers are votes. Connects with the first command, or
 * ahead of it with {@link #open}. Thread-safe.
 *
 * @since 0.1
 */
public final class VotingRedis extends RedisLockStore implements VotingStore {

	private final VoterScript script;

	/**
	 * Create a store.
	 * @param client the client, which its owner shuts down after this store was closed
	 * @param settings the settings, without replicas to ask and without another part of
	 * the script
	 * @param abstention for how long the server grants nothing after it was started:
	 * longer than any ttl
	 */
	public VotingRedis(RedisClient client, RedisStoreSettings settings, Duration abstention) {
		this(ApplicationRedis.of(client), settings, new VoterScript(abstention));
	}

	VotingRedis(ApplicationRedis application, RedisStoreSettings settings, VoterScript script) {
		super(application, checked(settings).withScriptPart(script));
		this.script = script;
	}

	private static RedisStoreSettings checked(RedisStoreSettings settings) {
		if (settings.scriptPart() != ScriptPart.NONE || settings.replicasAcknowledged() > 0) {
			throw new IllegalArgumentException("a server of a quorum has neither a migration nor replicas to ask");
		}
		return settings;
	}

	@Override
	public void checkServers(Consumer<String> check) {
		this.script.checkServers(check);
	}

	@Override
	public CompletableFuture<Boolean> raise(String key, String ownerId, long lastToken) {
		return send("acquire", key, "raise", ownerId, Long.toString(lastToken), true);
	}

	@Override
	public CompletableFuture<Boolean> abandon(String key, String ownerId, @Nullable LockMode queued) {
		String mode = (queued == null) ? "" : (queued == LockMode.SHARED) ? "shared" : "alone";
		return send("release", key, "abandon", ownerId, mode, false);
	}

}
