// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.function.Supplier;

import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.ServerInfo;

/**
 * The script for all locks that share a hash tag. Immutable.
 */
final class LockScript implements BatchScript {

	private final Supplier<StoreScripts> scripts;

	private final RedisNames names;

	private final ScriptPart part;

	private final BulkStrings firstKeys;

	private final BulkStrings firstKeysToAsk;

	/**
	 * Create a script.
	 * @param scripts supplies the scripts; called with each call of one
	 * @param part checks servers
	 */
	LockScript(Supplier<StoreScripts> scripts, RedisNames names, ScriptPart part) {
		this.scripts = scripts;
		this.names = names;
		this.part = part;
		this.firstKeys = keys(false);
		this.firstKeysToAsk = keys(true);
	}

	private BulkStrings keys(boolean asks) {
		BulkStrings keys = new BulkStrings(64).add(this.names.fence());
		for (String key : this.part.firstKeys(this.names.tag(), asks)) {
			keys.add(key);
		}
		return keys;
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
	public BulkStrings firstKeys(boolean asks) {
		return asks ? this.firstKeysToAsk : this.firstKeys;
	}

	@Override
	public void check(ServerInfo server) {
		this.part.checkServer(server.runId());
	}

}
