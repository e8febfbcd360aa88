// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.ErrorReply;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;

/**
 * The scripts of a store, and what each of their calls begins with. A script is made of
 * one file or of several, one after the other. What it does, takes and replies is
 * described at their top. Immutable.
 */
final class StoreScripts {

	/**
	 * By how much tokens leap on a server that took over: longer than Sentinels leave a
	 * primary that they replaced as it is, and than clocks of servers may differ.
	 */
	static final Duration LEAP = BatchScript.TAKEOVER;

	private static final long LEAP_MICROS = LEAP.toNanos() / 1000;

	/**
	 * How long to remember on which server tokens were handed out, from the last
	 * connection on.
	 */
	private static final Duration SERVER_RETENTION = Duration.ofDays(30);

	/**
	 * The same for a server that votes, which takes itself for one that lost its memory
	 * when it is over: for ever, as connections may last.
	 */
	private static final Duration VOTER_RETENTION = Duration.ofDays(36_500);

	/**
	 * By their heads. Stores have few different settings, and often the same, such as
	 * those of a quorum.
	 */
	private static final Map<String, StoreScripts> ALL = new ConcurrentHashMap<>();

	static {
		// Most stores need these. To make them is a part of what a start costs, and where
		// this class is loaded in the background, they are made there.
		var unused = of(RedisStoreSettings.defaults(), false, null);
	}

	private final String commands;

	private final byte[] loaded;

	// of a server that votes; null if it decides alone
	private final @Nullable Duration abstention;

	private final @Nullable String join;

	private final String follow = part("follow");

	private final String inspect = inspection(false);

	// null if there are no old locks
	private final @Nullable String inspectWithOldLock;

	private final BulkStrings byDigest;

	private final BulkStrings inFull;

	private final String fenceRetention;

	private StoreScripts(String head, RedisStoreSettings settings, @Nullable Duration abstention) {
		this.abstention = abstention;
		this.join = (abstention != null) ? part("join") : null;
		this.inspectWithOldLock = settings.migration().isEmpty() ? null : inspection(true);
		this.fenceRetention = Long.toString(settings.fenceRetention().toMillis());
		this.commands = head + part("lock") + (settings.migration().isEmpty() ? "" : part("old-locks"))
				+ ((abstention != null) ? part("quorum") : "") + part("commands");
		this.loaded = this.commands.getBytes(StandardCharsets.UTF_8);
		this.byDigest = new BulkStrings(128).add("EVALSHA").add(DigestUtils.sha1DigestAsHex(this.commands));
		this.inFull = new BulkStrings(128).add("EVAL").add(this.commands);
	}

	/**
	 * Return the scripts, which are read when they are needed for the first time; those
	 * of the default settings, when this class is.
	 * @param cluster whether they are for a Redis Cluster
	 * @param abstention for how long a server that lost its memory grants nothing;
	 * {@code null} for one that decides alone
	 */
	static StoreScripts of(RedisStoreSettings settings, boolean cluster, @Nullable Duration abstention) {
		return ALL.computeIfAbsent(head(settings, cluster, abstention),
				(head) -> new StoreScripts(head, settings, abstention));
	}

	/**
	 * Return the constants of a store, with which its script begins: they need not be
	 * sent with every call. All that scripts differ in follows from them.
	 */
	private static String head(RedisStoreSettings settings, boolean cluster, @Nullable Duration abstention) {
		return "local reservation, term, retention, leap, cluster = " + settings.reservation().toMillis() + ", "
				+ grantTerm(settings, abstention).toMillis() + ", " + settings.fenceRetention().toMillis() + ", "
				+ LEAP_MICROS + ", " + cluster + "\n" + oldLocks(settings.migration())
				+ ((abstention != null) ? "local abstention = " + abstention.toMillis() + "\n" : "");
	}

	/**
	 * Return for how long a release grants a key to the next instance; zero if it only
	 * reserves it: one server of several decides nothing, old locks must be taken, too,
	 * and nobody may be told of what replicas do not know.
	 */
	static Duration grantTerm(RedisStoreSettings settings, @Nullable Duration abstention) {
		boolean alone = abstention == null && settings.migration().isEmpty() && settings.replicasAcknowledged() == 0;
		return alone ? settings.grantTerm() : Duration.ZERO;
	}

	String commands() {
		return this.commands;
	}

	/**
	 * Return the same text in UTF-8, which is encoded once for all connections.
	 */
	byte[] loaded() {
		return this.loaded;
	}

	/**
	 * Return how calls of the script begin.
	 * @param whole whether the script is sent along
	 */
	BulkStrings head(boolean whole) {
		return whole ? this.inFull : this.byDigest;
	}

	/**
	 * Return whether what the server says is one vote of several.
	 */
	boolean votes() {
		return this.abstention != null;
	}

	/**
	 * Let a server abstain that does not remember itself.
	 * @param identity what identifies the server
	 */
	CompletionStage<?> join(RedisAsyncCommands<String, String> redis, RedisNames names, String identity) {
		return eval(redis, Objects.requireNonNull(this.join), ScriptOutputType.INTEGER,
				new String[] { names.server(), names.joining() }, identity,
				Long.toString(Objects.requireNonNull(this.abstention).toMillis()));
	}

	/**
	 * Make tokens leap ahead on a server that took over. One that votes took over from
	 * nobody: it forgot, and leaps as if it did so when it votes again, as others may
	 * have leapt a moment ago, by a faster clock.
	 * @param moved whether the client comes from another server
	 * @return 1 if they leapt, else 0; the id of the server's replication, empty if
	 * unknown
	 */
	CompletionStage<List<Object>> follow(RedisAsyncCommands<String, String> redis, RedisNames names, String identity,
			boolean moved) {
		Duration abstention = this.abstention;
		boolean votes = abstention != null;
		long leap = LEAP_MICROS + ((abstention != null) ? TimeUnit.MILLISECONDS.toMicros(abstention.toMillis()) : 0);
		return eval(redis, this.follow, ScriptOutputType.MULTI, new String[] { names.server(), names.fence() },
				identity, Long.toString(leap), this.fenceRetention,
				Long.toString((votes ? VOTER_RETENTION : SERVER_RETENTION).toMillis()),
				(moved && !votes) ? "moved" : "");
	}

	/**
	 * Read all that is known of a lock.
	 * @param old the lock of another library that is held with it, if any
	 */
	CompletionStage<List<Object>> inspect(RedisAsyncCommands<String, String> redis, RedisNames names, String key,
			int longestQueue, @Nullable OldLock old) {
		String most = Integer.toString(longestQueue);
		if (old == null) {
			return eval(redis, this.inspect, ScriptOutputType.MULTI,
					new String[] { names.lock(key), names.queue(key), names.fence() }, most);
		}
		return eval(redis, Objects.requireNonNull(this.inspectWithOldLock), ScriptOutputType.MULTI, new String[] {
				names.lock(key), names.queue(key), names.fence(), String.valueOf(old.nameFor(key)), names.old(key) },
				most, old.from().inspectedAs());
	}

	/**
	 * Run a script that is seldom run. A server without {@code EVAL} has it loaded first.
	 */
	private static <T> CompletionStage<T> eval(RedisAsyncCommands<String, String> redis, String script,
			ScriptOutputType type, String[] keys, String... arguments) {
		CompletionStage<T> answer = redis.eval(script, type, keys, arguments);
		return answer.exceptionallyCompose((failure) -> (ErrorReply.of(failure) == ErrorReply.UNKNOWN_COMMAND)
				? redis.scriptLoad(script).thenCompose((digest) -> redis.<T>evalsha(digest, type, keys, arguments))
				: CompletableFuture.failedFuture(failure));
	}

	private static String oldLocks(List<OldLock> migration) {
		if (migration.isEmpty()) {
			return "";
		}
		StringBuilder rules = new StringBuilder("local rules = {");
		for (OldLock old : migration) {
			rules.append('{').append(literal(old.from().text()));
			old.ends().forEach((end) -> rules.append(", ").append((end != null) ? literal(end) : "false"));
			rules.append("}, ");
		}
		return rules.append("}\n").toString();
	}

	/**
	 * Return the script that reads all that is known of a lock.
	 * @param withOldLock whether also of the one of another library
	 */
	static String inspection(boolean withOldLock) {
		return part("inspect") + (withOldLock ? part("inspect-old-locks") : "") + "return reply\n";
	}

	/**
	 * Quote any text for Lua: by its bytes, in decimal.
	 */
	private static String literal(String text) {
		StringBuilder literal = new StringBuilder("'");
		for (byte next : text.getBytes(StandardCharsets.UTF_8)) {
			boolean plain = Character.isLetterOrDigit(next) && next > 0;
			literal.append(plain ? (char) next : String.format(Locale.ROOT, "\\%03d", next & 0xff));
		}
		return literal.append('\'').toString();
	}

	private static String part(String name) {
		try {
			return new ClassPathResource("/META-INF/lock-starter/" + name + ".lua", StoreScripts.class)
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
