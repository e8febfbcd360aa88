// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lockstarter.LockInspector.QueuedInstance;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockStoreException;
import io.lockstarter.redis.connection.RedisConnections;
import org.jspecify.annotations.Nullable;

/**
 * Looks into the store on request. Each request has a connection of its own, for as long
 * as it takes, so that long replies do not delay the commands for locks; and no command
 * looks at more than a thousand keys, so that the server serves others in between.
 */
record StoreInspection(RedisConnections connections, List<RedisNames> buckets, Supplier<StoreScripts> scripts) {

	private static final int LONGEST_QUEUE = 100;

	private static final int FEWEST_KEYS = 100;

	private static final int MOST_KEYS = 1000;

	/**
	 * How often to look for a page: many keys of others may lie between two locks.
	 */
	private static final int MOST_SCANS = 100;

	private static final Pattern CURSOR = Pattern.compile("(\\d{1,4}-)?\\d{1,20}");

	private static final Pattern SPECIAL = Pattern.compile("[*?\\[\\]\\\\]");

	// An owner id, and the mark that others queue.
	private static final Pattern MARKED = Pattern.compile("(?s).+:g?\\d+[*~]");

	// What stands before the only reader of a lock that is shared, or the lines of
	// several.
	private static final String SHARED = "&";

	CompletableFuture<StoredLockDetails> inspect(String key) {
		RedisNames names = this.buckets.get(RedisNames.bucketOf(key, this.buckets.size()));
		return described("inspect", key,
				this.connections.askSlot(names.slot(),
						(redis) -> this.scripts.get()
							.inspect(redis, names, key, LONGEST_QUEUE)
							.thenApply((reply) -> details(key, reply))));
	}

	CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		if (cursor != null && !CURSOR.matcher(cursor).matches()) {
			return CompletableFuture.failedFuture(
					new IllegalArgumentException("The cursor '%s' is not one of a page before".formatted(cursor)));
		}
		int node = (cursor != null && cursor.indexOf('-') > 0)
				? Integer.parseInt(cursor.substring(0, cursor.indexOf('-'))) : 0;
		ScanCursor from = (cursor != null) ? ScanCursor.of(cursor.substring(cursor.indexOf('-') + 1))
				: ScanCursor.INITIAL;
		return described("list", "the locks", this.connections.askNode(node,
				(nodes, redis) -> scan(redis, from, pattern(prefix, limit), limit, MOST_SCANS, new LinkedHashMap<>())
					.thenApply((page) -> numbered(page, node, nodes))));
	}

	private ScanArgs pattern(String prefix, int limit) {
		String locks = literally(this.buckets.get(0).locks());
		String all = (this.buckets.size() == 1) ? locks : locks.replaceFirst(":\\d+}lock:$", ":*}lock:");
		return ScanArgs.Builder.matches(all + literally(prefix) + "*")
			.limit(Math.max(FEWEST_KEYS, Math.min(MOST_KEYS, limit)));
	}

	private static String literally(String text) {
		return SPECIAL.matcher(text).replaceAll("\\\\$0");
	}

	/**
	 * In a cluster, nodes are listed one after the other.
	 */
	private static StoredLocks numbered(StoredLocks page, int node, int nodes) {
		String cursor = page.next();
		if (cursor != null) {
			return (nodes == 1) ? page : new StoredLocks(page.locks(), node + "-" + cursor);
		}
		return (node + 1 < nodes) ? new StoredLocks(page.locks(), (node + 1) + "-0") : page;
	}

	private CompletionStage<StoredLocks> scan(RedisAsyncCommands<String, String> redis, ScanCursor from, ScanArgs args,
			int limit, int scans, Map<String, String> found) {
		return redis.scan(from, args).thenCompose((page) -> {
			page.getKeys().forEach((name) -> keyOf(name).ifPresent((key) -> found.put(name, key)));
			if (page.isFinished() || found.size() >= limit || scans == 1) {
				return describe(redis, found)
					.thenApply((locks) -> new StoredLocks(locks, page.isFinished() ? null : page.getCursor()));
			}
			return scan(redis, ScanCursor.of(page.getCursor()), args, limit, scans - 1, found);
		});
	}

	// The pattern fits names of other prefixes, too.
	private Optional<String> keyOf(String name) {
		return this.buckets.stream()
			.map(RedisNames::locks)
			.filter(name::startsWith)
			.findFirst()
			.map((locks) -> name.substring(locks.length()));
	}

	private CompletionStage<List<StoredLock>> describe(RedisAsyncCommands<String, String> redis,
			Map<String, String> found) {
		List<CompletableFuture<Optional<StoredLock>>> locks = new ArrayList<>(found.size());
		found.forEach((name, key) -> {
			// What is no string is no lock.
			CompletionStage<Optional<String>> value = redis.get(name)
				.thenCompose((held) -> holders(redis, name, held))
				.handle((held, failure) -> Optional.ofNullable(held));
			locks
				.add(value
					.thenCombine(redis.pttl(name).exceptionally((failure) -> -1L),
							(holder, remaining) -> holder.map((text) -> lock(key, text, remaining)))
					.toCompletableFuture());
		});
		return CompletableFuture.allOf(locks.toArray(CompletableFuture<?>[]::new))
			.thenApply((done) -> locks.stream().flatMap((lock) -> lock.join().stream()).toList());
	}

	private CompletionStage<@Nullable String> holders(RedisAsyncCommands<String, String> redis, String name,
			@Nullable String held) {
		if (held == null || !SHARED.equals(held)) {
			return CompletableFuture.completedFuture(held);
		}
		RedisNames names = this.buckets.stream()
			.filter((each) -> name.startsWith(each.locks()))
			.findFirst()
			.orElseThrow();
		return redis.zrange(names.readers(name.substring(names.locks().length())), 0, -1)
			.thenApply((readers) -> SHARED + String.join("\n", readers));
	}

	private static StoredLockDetails details(String key, List<Object> reply) {
		String fence = (String) reply.get(2);
		List<?> members = (List<?>) reply.get(3);
		List<QueuedInstance> queue = new ArrayList<>(members.size() / 2);
		for (int i = 0; i + 1 < members.size(); i += 2) {
			long micros = (long) Double.parseDouble((String) members.get(i + 1));
			String member = (String) members.get(i);
			String instance = member.startsWith("!") ? member.substring(1) : member;
			queue.add(new QueuedInstance(instance, Instant.EPOCH.plus(micros, ChronoUnit.MICROS)));
		}
		return new StoredLockDetails(lock(key, (String) reply.get(0), (Long) reply.get(1)), queue,
				fence.isEmpty() ? null : Long.valueOf(fence));
	}

	private static StoredLock lock(String key, String value, long remaining) {
		Duration left = (remaining >= 0) ? Duration.ofMillis(remaining) : null;
		if (value.startsWith("!")) {
			return new StoredLock(key, List.of(), false, value.substring(1), left);
		}
		if (value.startsWith(SHARED)) {
			List<String> readers = readers(value.substring(SHARED.length()));
			return new StoredLock(key, readers, !readers.isEmpty(), null, left);
		}
		String ownerId = MARKED.matcher(value).matches() ? value.substring(0, value.length() - 1) : value;
		return new StoredLock(key, ownerId.isEmpty() ? List.of() : List.of(ownerId), false, null, left);
	}

	private static List<String> readers(String lines) {
		return lines.lines().filter((reader) -> !reader.isEmpty() && !reader.startsWith("!")).toList();
	}

	private static <T> CompletableFuture<T> described(String verb, String subject, CompletableFuture<T> answer) {
		return answer
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(failure(verb, subject, failure)));
	}

	private static LockStoreException failure(String verb, String subject, Throwable failure) {
		Throwable cause = failure;
		while (cause instanceof CompletionException && cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof RedisCommandExecutionException refusal)
				? StoreFailures.refused(verb, subject, false, refusal)
				: StoreFailures.unsent(verb, subject, false, cause);
	}

}
