// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.lockstarter.migration.OldLock;
import io.lockstarter.migration.OldLock.Format;
import io.lockstarter.migration.OldLocks;
import io.lockstarter.quorum.redis.VoterScripts;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;

/**
 * Draws commands, and calls of the scripts of the product, with arguments that mostly
 * make sense. Texts have a character for each byte; {@link #ID} and a digit stand for an
 * id of the server.
 */
final class RandomCommands {

	/** Begins what stands for one of the ids that a server had so far. */
	static final String ID = "\u0001";

	/** What expires at once lives no longer, in ms. */
	static final int SHORT = 3;

	private static final String TAG = "{lock}";

	private static final List<String> OWNERS = List.of("a:1", "a:2", "b:1", "b:2", "c:1",
			Resp.latin("\u00e4\ud83d\ude00:1"));

	private static final List<String> LOCKS = List.of("k1", "k2", Resp.latin("k\u0142:3"));

	/** Without old locks, with them, in a cluster, and with a vote. */
	private static final List<String> COMMANDS;

	private static final List<String> OLD_LOCKS = Stream
		.concat(Arrays.stream(Format.values()).map((format) -> format.text() + "-x"), Stream.of("set-nx-x:y"))
		.toList();

	private static final List<OldLock> RULES = Arrays.stream(Format.values())
		.map((format) -> new OldLock(format.text() + "-*", format, "old:*"))
		.toList();

	static {
		// None of these times is over within an episode of a test, on a busy machine
		// either.
		RedisStoreSettings settings = RedisStoreSettings.defaults()
			.withReservation(Duration.ofHours(2))
			.withGrantTerm(Duration.ofMinutes(30));
		COMMANDS = Stream
			.of(ScriptTexts.commands(settings, false),
					ScriptTexts.commands(settings.withScriptPart(new OldLocks(RULES)), false),
					ScriptTexts.commands(settings, true),
					ScriptTexts.commands(settings.withScriptPart(VoterScripts.of(Duration.ofMinutes(5))), false))
			.map(Resp::latin)
			.toList();
	}

	private static final String INSPECT = Resp.latin(ScriptTexts.named("inspect"));

	/** What Lua and Redis make of each other's values and errors. */
	private static final List<String> SNIPPETS = List.of("return redis.call('GET')", "return redis.pcall('GET')",
			"return redis.call()", "return redis.call('FOO')", "return redis.call('WAIT', 1, 1)",
			"return redis.call('GET', {})", "return redis.pcall('GET', KEYS[1])", "return redis.call('GET', KEYS[1])",
			"local done, e = pcall(redis.call, 'GET', KEYS[1]) return { tostring(done), e or 'none' }",
			"local done, e = pcall(redis.call, 'ZADD', KEYS[1], 'x', 'y') return { type(e), e }",
			"local r = redis.pcall('INCR', KEYS[1]) return type(r) == 'table' and r.err or r",
			"return redis.error_reply(ARGV[1])", "return redis.status_reply(ARGV[1])", "return { err = ARGV[1] }",
			"return { ok = 'a\\r\\nb' }", "error('abc')", "error('abc', 0)", "error({ err = 'My ' .. ARGV[1] })",
			"\n\nlocal x = nil; return x.y", "x x", "foo = 1", "return foo", "return 3.99", "return -3.99",
			"return 1e20", "return 0 / 0", "return { 1, 2, nil, 4 }", "return { 1, false, true, 'x', { 3, {} } }",
			"return { KEYS, ARGV, #KEYS, #ARGV[1] }", "return redis.call('ECHO', 0.1)",
			"return redis.call('ECHO', 2 ^ 53)", "return redis.call('ECHO', -1.7e17)",
			"return redis.call('SET', KEYS[1], 1.5, 'PX', 60000.0)", "return redis.call('TYPE', KEYS[1])",
			"return redis.sha1hex(ARGV[1])", "return redis.REDIS_VERSION_NUM", "return ('%.0f'):format(2 ^ 60)",
			"return tostring(1e15) .. 2 ^ 53 .. ' ' .. 1 / 3",
			"redis.call('DEL', KEYS[1]) return redis.call('SET', KEYS[1], ARGV[1])",
			"redis.pcall('SET', KEYS[1], 1) return redis.pcall('GETSET', KEYS[1], ARGV[1])",
			"redis.call('SET', KEYS[1], 1, 'PX', 1) return redis.call('GET', KEYS[1])",
			"redis.call('SET', KEYS[1], 1, 'PX', 60000) return redis.call('PTTL', KEYS[1])",
			"redis.call('PEXPIRE', KEYS[1], 0) return redis.call('EXISTS', KEYS[1])",
			"return redis.call('PUBSUB', 'NUMSUB', ARGV[1])", "return redis.call('PUBLISH', ARGV[1], KEYS[1])",
			"return { { err = 'x y' }, { ok = 'fine' } }", "return ARGV[1]:match('^{.-}') or ARGV[1]:byte(-1)",
			"return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')",
			"return redis.call('HSET', KEYS[1], ARGV[1], 0.5)");

	private final Random random;

	private boolean passing;

	RandomCommands(Random random) {
		this.random = random;
	}

	/**
	 * Draw a command.
	 * @param millis the time now
	 */
	List<String> next(long millis) {
		this.passing = false;
		List<String> command = new ArrayList<>((chance(60) ? script() : chance(12) ? snippet() : plain(millis)));
		if (chance(2) && !isScript(command) && !command.get(0).equals("CONFIG")) {
			command.set(this.random.nextInt(command.size()), pick("", "x", "-1", "1.5", "0", Resp.latin("\u00df")));
		}
		if (chance(1) && command.size() > 1 && !command.get(0).equals("CONFIG")) {
			command.remove(command.size() - 1);
		}
		return command;
	}

	/**
	 * Return whether what the last command sets may expire at once.
	 */
	boolean isPassing() {
		return this.passing;
	}

	static boolean isScript(List<String> command) {
		return command.get(0).startsWith("EVAL");
	}

	/**
	 * Draw what a subscriber does.
	 */
	List<String> subscription() {
		String channel = chance(80) ? channel() : pick("x", "{lock}signal:nobody");
		return switch (this.random.nextInt(8)) {
			case 0, 1 -> List.of("SUBSCRIBE", channel);
			case 2 -> List.of("SSUBSCRIBE", channel);
			case 3 -> List.of("PSUBSCRIBE", pick("{lock}*", "*[ab]", "old-channel*", "{lock}signal:?", "*"));
			case 4 -> List.of("UNSUBSCRIBE", channel);
			case 5 -> List.of(pick("UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"));
			case 6 -> List.of("SUNSUBSCRIBE", channel);
			default -> List.of("PUNSUBSCRIBE", pick("{lock}*", "*"));
		};
	}

	private List<String> script() {
		int kind = this.random.nextInt(20);
		if (kind == 0) {
			String key = key();
			return eval(INSPECT, List.of(lock(key), TAG + "queue:" + key, TAG + "fence", TAG + "readers:" + key),
					List.of(pick("100", "1")));
		}
		return commands();
	}

	private String id() {
		return ID + this.random.nextInt(3);
	}

	private List<String> commands() {
		int variant = this.random.nextInt(COMMANDS.size());
		List<String> keys = new ArrayList<>(List.of(chance(97) ? TAG + "fence" : pick("x", "{lock}other")));
		List<String> arguments = new ArrayList<>(List.of(chance(80) ? "" : pick("ask", "ask", "moved")));
		if (variant == 3) {
			keys.addAll(List.of(TAG + "server", TAG + "joining"));
		}
		else if (!arguments.get(0).isEmpty()) {
			keys.add(TAG + "server");
		}
		for (int i = chance(70) ? 1 : 2 + this.random.nextInt(3); i > 0; i--) {
			command(variant, keys, arguments);
		}
		if (chance(2)) {
			// What follows is taken for something else then, such as a number of locks
			// for a ttl.
			this.passing = true;
			arguments.set(this.random.nextInt(arguments.size()), pick("x", "0", "-1", "1.5", "inf", "a:b:1"));
		}
		return eval(COMMANDS.get(variant), keys, arguments);
	}

	private void command(int variant, List<String> keys, List<String> arguments) {
		String name = pick("acquire", "acquire+join", "acquire+leave", "acquire+leave+join", "acquire+join+grant",
				"acquire+leave+join+grant", "acquire-all", "release", "release", "release+join", "release+join+grant",
				"release+force", "leave", "renew", "keep");
		if (variant == 3 && chance(20)) {
			name = pick("raise", "abandon");
		}
		boolean brief = variant != 1 && List.of("acquire", "acquire-all", "release", "renew").contains(name)
				&& chance(50);
		arguments.addAll(brief ? List.of(name) : ScriptTexts.inFull(List.of(name)));
		switch (name) {
			case "acquire-all", "renew" -> {
				int count = 1 + this.random.nextInt(3);
				arguments.add(Integer.toString(count));
				for (int i = 0; i < count; i++) {
					addLock(variant, brief, keys);
					arguments.addAll(List.of(owner(), ttl()));
					if (name.equals("acquire-all")) {
						arguments.add(pick("600000", "700000"));
					}
				}
			}
			case "release", "release+join", "release+force" -> {
				addLock(variant, brief, keys);
				arguments.add(owner());
			}
			case "release+join+grant" -> {
				addLock(variant, brief, keys);
				arguments.addAll(List.of(owner(), pick("8", "600000")));
			}
			case "leave" -> {
				addLock(variant, brief, keys);
				arguments.add(instance());
			}
			case "abandon" -> {
				addLock(variant, brief, keys);
				arguments.addAll(List.of(owner(), pick("", "alone", "shared")));
			}
			case "keep" -> {
				addLock(variant, brief, keys);
				arguments.addAll(List.of(owner(), ttl()));
			}
			case "raise" -> {
				addLock(variant, brief, keys);
				arguments.addAll(List.of(owner(), pick("8000000000000500", "500000", "9000000000000001", "x")));
			}
			default -> {
				addLock(variant, brief, keys);
				arguments.addAll(List.of(owner(), ttl(), pick("600000", "700000")));
			}
		}
	}

	private void addLock(int variant, boolean brief, List<String> keys) {
		String key = key();
		keys.addAll(brief ? List.of(lock(key)) : ScriptTexts.keys(lock(key)));
		if (variant == 1) {
			RULES.stream()
				.filter((rule) -> key.startsWith(rule.from().text() + "-"))
				.findFirst()
				.ifPresentOrElse(
						(rule) -> keys.addAll(List.of("old:" + key.substring(rule.keys().length() - 1),
								TAG + "old-" + rule.from().text() + ":" + key)),
						() -> keys.addAll(List.of(lock(key), lock(key))));
		}
	}

	private List<String> snippet() {
		this.passing = true;
		return eval(pickOf(SNIPPETS), List.of(anyKey()), List.of(chance(50) ? value() : channel()));
	}

	private List<String> eval(String script, List<String> keys, List<String> arguments) {
		// One that is rare is not loaded.
		List<String> command = new ArrayList<>(chance(SNIPPETS.contains(script) ? 20 : 75)
				? List.of("EVALSHA", LuaScripts.digest(script)) : List.of("EVAL", script));
		command.add(Integer.toString(keys.size()));
		command.addAll(keys);
		command.addAll(arguments);
		return command;
	}

	private List<String> plain(long millis) {
		String key = anyKey();
		return switch (this.random.nextInt(40)) {
			case 0, 1, 2 -> set(key, value());
			case 3 -> List.of("SET", lock(key()), owner() + pick("", "*", "~"), "PX", ttl());
			case 4 -> List.of("SET", TAG + "fence",
					chance(85) ? "8000000000000000" : pick("9000000000000001", "x", "1", "8999999999999990"));
			case 5 -> List.of("SET", "old:x", time(millis, 1), "PX", "600000");
			case 6 -> List.of("SET", "old:x", time(millis, 1000), "PX", "600000");
			case 7 -> List.of("HSET", "old:x", pickOf(OWNERS), "1");
			case 8, 9 -> List.of("DEL", key);
			case 10 -> List.of("DEL", TAG + pick("joining", "fence"));
			case 11 -> List.of("MGET", key, anyKey(), anyKey());
			case 12 -> List.of("EXISTS", key, anyKey());
			case 13 -> List.of(pick("PTTL", "TTL", "TYPE", "GET", "GETDEL", "STRLEN", "INCR", "DECR", "PERSIST"), key);
			// What holds a time is no time afterwards.
			case 14 -> chance(30) ? List.of("APPEND", pick("x", "y", "z", TAG + "lock:k1"), value())
					: List.of(pick("SETNX", "GETSET"), key, value());
			case 15 -> List.of("INCRBY", key, pick("5", "-7", "9223372036854775807", "x"));
			case 16, 17 -> List.of("PEXPIRE", key, ttl());
			case 18 -> List.of("EXPIRE", key, pick("3600", "7200", "0", "-1", "9223372036854775807"));
			case 19 -> List.of("HSET", key, value(), value(), "f", value());
			case 20 -> List.of(pick("HGET", "HEXISTS", "HDEL"), key, pick("f", "g", value()));
			case 21 -> List.of(pick("HLEN", "HKEYS", "HVALS", "HGETALL", "ZCARD"), key);
			case 22 -> List.of("HINCRBY", key, "f", pick("1", "-1", "x"));
			case 23, 24 -> List.of("ZADD", key, pick("NX", "XX", "CH", "nx"), score(), instance(), score(), instance());
			case 25 -> List.of("ZADD", key, score(), value());
			case 26 -> List.of("ZREM", key, instance(), value());
			case 27 -> List.of("ZPOPMIN", key);
			case 28 -> List.of("ZPOPMIN", key, pick("2", "0", "-1", "x"));
			case 29 -> List.of("ZRANGE", key, pick("0", "1", "-2", "x"), pick("-1", "1", "0"), "WITHSCORES");
			case 30 -> List.of(pick("ZSCORE", "HGET"), key, instance());
			case 31 -> List.of(pick("PUBLISH", "PUBLISH", "SPUBLISH"), channel(), value());
			case 32 -> List.of("PUBSUB", pick("NUMSUB", "SHARDNUMSUB", "FOO"), channel(), channel());
			case 33 -> List.of("PUBSUB", "NUMPAT");
			case 34 -> List.of("SCRIPT", "EXISTS", LuaScripts.digest(COMMANDS.get(0)), LuaScripts.digest(INSPECT), "x");
			case 35 -> List.of("SCRIPT", "LOAD", pickOf(SNIPPETS));
			case 36 -> chance(20) ? List.of("SCRIPT", "FLUSH") : List.of("PING");
			case 37 -> List.of("CONFIG", "SET", "maxmemory", chance(20) ? "1" : "0");
			case 38 -> chance(5) ? List.of("FLUSHALL") : List.of("PING", value());
			default -> chance(50) ? List.of("SET", TAG + "server", chance(80) ? id() : "x") : List.of("ECHO", value());
		};
	}

	private List<String> set(String key, String value) {
		List<String> command = new ArrayList<>(List.of("SET", key, value));
		if (chance(40)) {
			command.addAll(List.of(pick("PX", "px", "EX"), chance(95) ? "7200" : pick("0", "x")));
			if (command.get(3).equalsIgnoreCase("px")) {
				command.set(4, ttl());
			}
		}
		if (chance(40)) {
			command.add(pick("NX", "XX", "GET", "KEEPTTL"));
		}
		if (chance(20)) {
			command.add(pick("NX", "XX", "GET", "KEEPTTL", "FOO"));
		}
		return command;
	}

	// Surely over, surely not, and in the midst of what clocks may differ by.
	private String time(long millis, int unit) {
		return Long.toString((millis + this.random.nextInt(3) * 60_000L - 60_000) / unit);
	}

	private String anyKey() {
		return switch (this.random.nextInt(14)) {
			case 0 -> lock(key());
			case 1 -> TAG + "queue:" + key();
			case 2 -> chance(30) ? TAG + "fence" : "old:x";
			case 3 -> pick(TAG + "server", TAG + "joining", TAG + "forced:" + key());
			case 4 -> TAG + "old-" + pick("getset-millis", "getset-seconds") + ":" + key();
			default -> pick("x", "y", "z", "\u00ff\u0000\r\n");
		};
	}

	private String key() {
		return chance(60) ? pickOf(LOCKS) : pickOf(OLD_LOCKS);
	}

	private static String lock(String key) {
		return TAG + "lock:" + key;
	}

	private String owner() {
		return chance(98) ? pickOf(OWNERS) : pick("alone", "", "d:e:1");
	}

	private String instance() {
		String owner = pickOf(OWNERS);
		return owner.substring(0, owner.indexOf(':'));
	}

	private String channel() {
		return TAG + "signal:" + instance();
	}

	private String ttl() {
		if (chance(5)) {
			this.passing = true;
			return pick("1", "2", "3");
		}
		return chance(97) ? pick("3600000", "4000000", "7200000") : pick("0", "-5", "x", "1.5", "9223372036854775807");
	}

	private String score() {
		return chance(95) ? pick("1", "2", "0.1", "-3e-7", "1e20", "inf", "-inf", "-0", "1732485000123456")
				: pick("nan", "x", " 1");
	}

	private String value() {
		return pick("1", "01", "-5", "a b", "", "\u0000\u00fe", Resp.latin("\u20ac"), "9223372036854775807", "{x}y",
				"a:1");
	}

	private boolean chance(int percent) {
		return this.random.nextInt(100) < percent;
	}

	private String pick(String... choices) {
		return choices[this.random.nextInt(choices.length)];
	}

	private String pickOf(List<String> choices) {
		return choices.get(this.random.nextInt(choices.size()));
	}

}
