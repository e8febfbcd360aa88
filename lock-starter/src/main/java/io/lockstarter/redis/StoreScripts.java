package io.lockstarter.redis;

import java.time.Duration;

import io.lockstarter.redis.CommandBatch.ScriptCall;

/**
 * The scripts of a store, with what each of their calls begins with. Immutable.
 */
final class StoreScripts {

	/**
	 * By how much tokens leap on a server that took over: longer than Sentinels leave a
	 * primary that they replaced as it is, and than clocks of servers may differ.
	 */
	static final Duration LEAP = Duration.ofSeconds(15);

	/**
	 * How long to remember on which server tokens were handed out, from the last
	 * connection on.
	 */
	private static final Duration SERVER_RETENTION = Duration.ofDays(30);

	private final LuaScript commands;

	private final LuaScript follow = LuaScript.follow();

	private final ScriptCall byDigest;

	private final ScriptCall inFull;

	private final RedisNames names;

	private final String fenceRetention;

	StoreScripts(RedisStoreSettings settings) {
		this.commands = LuaScript.commands(settings);
		this.names = new RedisNames(settings.keyPrefix());
		this.fenceRetention = Long.toString(settings.fenceRetention().toMillis());
		BulkStrings fence = new BulkStrings(64).add(this.names.fence());
		this.byDigest = new ScriptCall(new BulkStrings(128).add("EVALSHA").add(this.commands.sha1()), fence);
		this.inFull = new ScriptCall(new BulkStrings(128).add("EVAL").add(this.commands.source()), fence);
	}

	LuaScript commands() {
		return this.commands;
	}

	ScriptCall call(boolean whole) {
		return whole ? this.inFull : this.byDigest;
	}

	LuaScript follow() {
		return this.follow;
	}

	String[] followKeys() {
		return new String[] { this.names.server(), this.names.fence() };
	}

	String[] followArguments(String identity) {
		return new String[] { identity, Long.toString(LEAP.toNanos() / 1000), this.fenceRetention,
				Long.toString(SERVER_RETENTION.toMillis()) };
	}

}
