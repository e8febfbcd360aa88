// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.redis.connection.BulkStrings;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * The scripts of a store, and what each of their calls begins with. A script is made of
 * one file or of several, one after the other. What it does, takes and replies is
 * described at their top. Thread-safe.
 */
final class StoreScripts {

	/**
	 * By how much tokens leap on a server that took over: longer than clocks of servers
	 * may differ, too.
	 */
	private static final long LEAP_MICROS = BatchScript.TAKEOVER.toNanos() / 1000;

	/**
	 * By their constants and parts. Stores have few different settings, and often the
	 * same.
	 */
	private static final Map<String, StoreScripts> ALL = new ConcurrentHashMap<>();

	static {
		// Most stores need these. To make them is a part of what a start costs, and where
		// this class is loaded in the background, they are made there.
		var unused = of(RedisStoreSettings.defaults(), false);
	}

	private final String commands;

	private final String inspect = ScriptPart.read(StoreScripts.class, "inspect");

	private final BulkStrings inFull;

	// Made by whoever connects first: to load SHA-1 is what a start can do without.
	private volatile @Nullable BulkStrings byDigest;

	private StoreScripts(String constants, RedisStoreSettings settings) {
		this.commands = constants + ScriptPart.read(StoreScripts.class, "lock") + settings.scriptPart().text()
				+ ScriptPart.read(StoreScripts.class, "commands");
		this.inFull = new BulkStrings(128).add("EVAL").add(this.commands);
	}

	/**
	 * Return the scripts, which are read when they are needed for the first time; those
	 * of the default settings, when this class is.
	 * @param cluster whether they are for a Redis Cluster
	 */
	static StoreScripts of(RedisStoreSettings settings, boolean cluster) {
		String constants = constants(settings, cluster);
		return ALL.computeIfAbsent(constants + settings.scriptPart().text(),
				(same) -> new StoreScripts(constants, settings));
	}

	/**
	 * Return the constants of a store, with which its script begins: they need not be
	 * sent with every call.
	 */
	private static String constants(RedisStoreSettings settings, boolean cluster) {
		return "local reservation, term, retention, leap, cluster = " + settings.reservation().toMillis() + ", "
				+ grantTerm(settings).toMillis() + ", " + settings.fenceRetention().toMillis() + ", " + LEAP_MICROS
				+ ", " + cluster + "\n";
	}

	/**
	 * Return for how long a release grants a key to the next instance; zero if it only
	 * reserves it: others may have a say in who holds it, and nobody may be told of what
	 * replicas do not know.
	 */
	static Duration grantTerm(RedisStoreSettings settings) {
		boolean alone = settings.scriptPart() == ScriptPart.NONE && settings.replicasAcknowledged() == 0;
		return alone ? settings.grantTerm() : Duration.ZERO;
	}

	String commands() {
		return this.commands;
	}

	/**
	 * Return how calls of the script begin.
	 * @param whole whether the script is sent along
	 */
	BulkStrings head(boolean whole) {
		return whole ? this.inFull : byDigest();
	}

	private BulkStrings byDigest() {
		BulkStrings head = this.byDigest;
		if (head == null) {
			head = new BulkStrings(128).add("EVALSHA").add(DigestUtils.sha1DigestAsHex(this.commands));
			this.byDigest = head;
		}
		return head;
	}

	/**
	 * Read all that is known of a lock.
	 */
	CompletionStage<List<Object>> inspect(RedisAsyncCommands<String, String> redis, RedisNames names, String key,
			int longestQueue) {
		return redis.eval(this.inspect, ScriptOutputType.MULTI,
				new String[] { names.lock(key), names.queue(key), names.fence(), names.readers(key) },
				Integer.toString(longestQueue));
	}

}
