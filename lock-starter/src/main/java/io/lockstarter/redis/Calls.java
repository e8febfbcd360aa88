/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lockstarter.platform.Ticker;
import io.lockstarter.store.VotingStore.ClockWatch;

/**
 * The calls of the scripts for all locks that share a hash tag. Immutable.
 *
 * @param byDigest how a call begins
 * @param inFull how a call begins that sends the script along
 * @param apart whether they go over a connection beside that of other calls
 * @param servers checks the process of each server before it votes
 * @param clock watches the clock of a server that votes
 */
record Calls(StoreScripts scripts, RedisNames names, ScriptCall byDigest, ScriptCall inFull, boolean apart,
		Consumer<String> servers, ClockWatch clock) {

	Calls(StoreScripts scripts, RedisNames names, boolean apart, Consumer<String> servers, ClockWatch clock) {
		this(scripts, names, scripts.call(names, false), scripts.call(names, true), apart, servers, clock);
	}

	int slot() {
		return this.names.slot();
	}

	ScriptCall call(boolean whole) {
		return whole ? this.inFull : this.byDigest;
	}

	/**
	 * Return whether the server may grant nothing unless it is known who it is.
	 */
	boolean votes() {
		return this.scripts.votes();
	}

	/**
	 * Check a server that votes.
	 * @param server what identifies its process
	 * @throws RedisConnectionException if it must not vote
	 */
	void check(String server) {
		try {
			this.servers.accept(server);
		}
		catch (IllegalStateException ex) {
			throw new RedisConnectionException(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Let a server that votes abstain.
	 */
	CompletionStage<?> abstain(RedisAsyncCommands<String, String> redis) {
		return this.scripts.join(redis, this.names, "");
	}

	/**
	 * Make tokens leap ahead on a server that took over; a server of a quorum abstains
	 * before, and its clock is known from then on.
	 * @param moved whether the client comes from another server
	 * @return the id of the server's replication; empty if unknown
	 */
	CompletionStage<String> follow(RedisAsyncCommands<String, String> redis, String identity, boolean moved,
			Ticker ticker) {
		CompletionStage<List<Object>> followed = votes()
				? join(redis, identity, ticker)
					.thenCompose((joined) -> this.scripts.follow(redis, this.names, identity, moved))
				: this.scripts.follow(redis, this.names, identity, moved);
		return followed.thenApply((reply) -> (String) reply.get(1));
	}

	private CompletionStage<?> join(RedisAsyncCommands<String, String> redis, String identity, Ticker ticker) {
		long sentAt = ticker.nanoTime();
		return this.scripts.join(redis, this.names, identity)
			.thenAccept((micros) -> this.clock.counts(micros, sentAt, ticker.nanoTime()));
	}

}
