// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the script does when one key of a lock outlives another: from each state that two
 * readers and a writer can bring about, the lock, its readers or its queue vanishes
 * alone, however that came, and each command follows; and so on from the states that come
 * of that, six steps in all. Now and then the fence vanishes. Whatever vanished:
 * <ul>
 * <li>no answer confirms an owner id after another one was granted the lock in between,
 * unless both share it,
 * <li>nobody is granted a lock beside those who would be confirmed,
 * <li>tokens grow, and
 * <li>no command is refused.
 * </ul>
 */
abstract class LostKeys {

	/**
	 * The last one is granted the lock by a release, with a token instead of the 7.
	 */
	private static final List<String> OWNERS = List.of("r1:1", "r2:1", "w:1", "w:g7");

	private static final String SHARED = "&";

	/**
	 * How far from the first states it goes at least, and farther until there are so many
	 * states.
	 */
	private static final int LEAST_STEPS = 5;

	private static final int LEAST_STATES = 500;

	/**
	 * How many states at once.
	 */
	private static final int TOGETHER = 50;

	private static final Pattern GRANTED = Pattern.compile("w:g\\d{2,}[*]?");

	private static final List<Step> STEPS = List.of(step("vanish", "lock"), step("vanish", "readers"),
			step("vanish", "queue"), step("expire", "r1:1"), renewal(),
			step("acquire-shared+leave+join", "r1:1", "60000", "1"),
			step("acquire-shared+leave+join", "r2:1", "60000", "1"), step("release", "r1:1"), step("release", "r2:1"),
			step("release+force", "r1:1"), step("leave", "r2"), step("release", "w:1"), step("release", "w:g7"),
			step("release+join", "w:1"), step("release+force", "w:1"), step("leave", "w"),
			step("share", "w:1", "60000"), step("keep", "w:1", "60000"));

	/**
	 * Make a state: readers have the lock for a minute, and who waits does so for some
	 * seconds.
	 */
	private static final String MAKE = """
			local time = redis.call('TIME')
			local lock, readers, queue, fence = unpack(KEYS)
			redis.call('DEL', lock, readers, queue, ARGV[4])
			if ARGV[1] ~= '' then
				redis.call('SET', lock, ARGV[1], 'PX', 60000)
			end
			for reader in ARGV[2]:gmatch('%S+') do
				redis.call('ZADD', readers, ('%.0f'):format(time[1] * 1000 + 60000), reader)
				redis.call('PEXPIRE', readers, 60000)
			end
			local since = (time[1] - 5) * 1000000
			since = since - since % 16
			for member, step in ARGV[3]:gmatch('(%S+)/(%d+)') do
				redis.call('ZADD', queue, ('%.0f'):format(since + step), member)
				since = since + 16
			end
			""";

	private static final String LOOK = """
			local queue = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
			local waiting = {}
			for i = 1, #queue, 2 do
				waiting[#waiting + 1] = ('%s/%d'):format(queue[i], queue[i + 1] % 16)
			end
			local readers = redis.call('ZRANGE', KEYS[2], 0, -1)
			table.sort(readers)
			return { redis.call('GET', KEYS[1]) or '', table.concat(readers, ' '), table.concat(waiting, ' ') }
			""";

	private static final String EXPIRE = """
			if redis.call('GET', KEYS[1]) == '&' .. ARGV[1] then
				return redis.call('DEL', KEYS[1])
			end
			return redis.call('ZREM', KEYS[2], ARGV[1])
			""";

	private static RedisServer server;

	final RedisStoreSettings settings = TestStore.SETTINGS.withReservation(Duration.ofSeconds(10))
		.withGrantTerm(Duration.ofSeconds(10))
		.withKeyPrefix("lost-" + UUID.randomUUID());

	final String tag = "{" + this.settings.keyPrefix() + "}";

	final StatefulRedisConnection<String, String> connection = server.connection();

	private long lastToken;

	private int trials;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	static Step step(String name, String... arguments) {
		return new Step(name, List.of(arguments));
	}

	private static Step renewal() {
		Stream<String> each = OWNERS.stream().flatMap((owner) -> Stream.of(owner, "60000"));
		return new Step("renew", Stream.concat(Stream.of(String.valueOf(OWNERS.size())), each).toList());
	}

	void explore(String script, Step... more) {
		List<Step> steps = new ArrayList<>(STEPS);
		steps.addAll(List.of(more));
		String sha = this.connection.sync().scriptLoad(script);
		// two readers are far from a free lock, as it takes the second one to make their
		// set
		State free = new State("", "", "", Set.of());
		State read = new State(SHARED, "r1:1 r2:1", "", Set.of("r1:1" + SHARED, "r2:1" + SHARED));
		Map<State, String> paths = new HashMap<>(Map.of(free, "free", read, "read"));
		try (TestStore store = new TestStore(server, server.connectionFactory(), this.settings)) {
			List.of("r1", "r2", "w").forEach(store::listen);
			List<State> fresh = List.of(free, read);
			for (int taken = 0; taken < LEAST_STEPS || paths.size() < LEAST_STATES; taken++) {
				assertThat(fresh).isNotEmpty();
				List<State> found = new ArrayList<>();
				for (int from = 0; from < fresh.size(); from += TOGETHER) {
					List<Trial> trials = fresh.subList(from, Math.min(fresh.size(), from + TOGETHER))
						.stream()
						.flatMap((state) -> steps.stream().map((step) -> take(sha, state, step)))
						.toList();
					for (Trial trial : trials) {
						String path = paths.get(trial.before) + "\n" + trial;
						State next = next(trial, path);
						if (paths.putIfAbsent(next, path) == null) {
							found.add(next);
						}
					}
				}
				fresh = found;
			}
		}
	}

	List<String> firstKeys() {
		return List.of(this.tag + "fence");
	}

	private Trial take(String sha, State state, Step step) {
		RedisAsyncCommands<String, String> redis = this.connection.async();
		String[] keys = Stream.of("lock:k", "readers:k", "queue:k", "fence")
			.map(this.tag::concat)
			.toArray(String[]::new);
		String vanishing = (++this.trials % 50 == 0) ? keys[3] : "nothing";
		var unused = redis.eval(MAKE, ScriptOutputType.STATUS, keys, state.lock, state.readers, state.queue, vanishing);
		RedisFuture<?> reply = switch (step.name) {
			case "vanish" -> redis.del(this.tag + step.owner() + ":k");
			case "expire" -> redis.eval(EXPIRE, ScriptOutputType.INTEGER, keys, step.owner());
			default -> redis.evalsha(sha, ScriptOutputType.MULTI,
					Stream.concat(firstKeys().stream(),
							Stream.generate(() -> ScriptTexts.keys(keys[0])).limit(step.locks()).flatMap(List::stream))
						.toArray(String[]::new),
					Stream.concat(Stream.of(""), ScriptTexts.inFull(step.words()).stream()).toArray(String[]::new));
		};
		return new Trial(state, step, reply, redis.eval(LOOK, ScriptOutputType.MULTI, keys));
	}

	/**
	 * Return what came of a step, if all was right.
	 */
	private State next(Trial trial, String path) {
		State before = trial.before;
		Step step = trial.step;
		String owner = step.owner();
		String reply = trial.reply();
		Set<String> entitled = new TreeSet<>(before.entitled);
		assertThat(reply).as(path).doesNotStartWith("!");
		switch (step.name) {
			case "renew" -> {
				for (int i = 0; i < OWNERS.size(); i++) {
					told(OWNERS.get(i), reply.charAt(i) == '1', entitled, path);
				}
			}
			case "raise", "share" -> told(owner, reply.equals("1"), entitled, path);
			case "expire" -> end(owner, entitled);
			case "keep" -> {
				boolean held = reply.equals("1");
				assertThat(!held || before.lock.equals(owner + "~") || entitled.contains(owner)).as(path).isTrue();
				entitled.remove(owner);
			}
			case "vanish", "leave" -> {
			}
			default -> {
				if (!step.name.startsWith("acquire")) {
					// who is kept has no lease, and can be released by force all the same
					told(owner, reply.equals("1") && !before.lock.equals(owner + "~"), entitled, path);
					end(owner, entitled);
				}
				else if (reply.matches("-?\\d+")) {
					assertThat(before.lock).as(path).doesNotEndWith("~");
					grant(owner, step.name.startsWith("acquire-shared"), Math.abs(Long.parseLong(reply)),
							before.without(owner), entitled, path);
				}
			}
		}
		if (step.name.equals("share") && entitled.remove(owner)) {
			entitled.add(owner + SHARED);
		}
		String lock = trial.lock();
		if (GRANTED.matcher(lock).matches()) {
			grant("w:g7", false, Long.parseLong(lock.replaceAll("\\D", "")), before.without(owner), entitled, path);
		}
		return new State(lock.replaceFirst("g\\d+", "g7"), trial.readers(), trial.queue(), entitled);
	}

	private static void told(String owner, boolean held, Set<String> entitled, String path) {
		if (held) {
			assertThat(entitled).as(path).containsAnyOf(owner, owner + SHARED);
		}
		else {
			end(owner, entitled);
		}
	}

	private static void end(String owner, Set<String> entitled) {
		entitled.removeAll(List.of(owner, owner + SHARED));
	}

	private void grant(String owner, boolean shared, long token, State others, Set<String> entitled, String path) {
		assertThat(others.lock).as(path).matches("|!.*|&.*");
		if (!shared) {
			assertThat(others.lock.equals(SHARED) ? others.readers : others.lock).as(path)
				.doesNotContainPattern("(^| )[^!]");
		}
		assertThat(token).as(path).isGreaterThan(this.lastToken);
		this.lastToken = token;
		entitled.removeIf((other) -> !shared || !other.endsWith(SHARED));
		entitled.add(shared ? owner + SHARED : owner);
	}

	/**
	 * What is in Redis, and whom it may confirm: those with a "&" together.
	 */
	private record State(String lock, String readers, String queue, Set<String> entitled) {

		/**
		 * Return what others have.
		 */
		State without(String owner) {
			String mine = this.lock.replaceFirst("[*~]$", "");
			return new State(mine.equals(owner) || mine.equals(SHARED + owner) ? "" : this.lock,
					this.readers.replace(owner, ""), this.queue, this.entitled);
		}

	}

	record Step(String name, List<String> arguments) {

		String owner() {
			return this.arguments.get(0);
		}

		List<String> words() {
			return Stream.concat(Stream.of(this.name), this.arguments.stream()).toList();
		}

		int locks() {
			return this.name.equals("renew") ? OWNERS.size() : 1;
		}

	}

	private record Trial(State before, Step step, RedisFuture<?> answer, RedisFuture<List<String>> look) {

		String reply() {
			Object answer = this.answer.toCompletableFuture().join();
			return String.valueOf((answer instanceof List<?> list) ? list.get(0) : answer);
		}

		String lock() {
			return found(0);
		}

		String readers() {
			return found(1);
		}

		String queue() {
			return found(2);
		}

		private String found(int index) {
			return this.look.toCompletableFuture().join().get(index);
		}

		@Override
		public String toString() {
			return "%s %s -> %s: lock '%s', readers '%s', queue '%s'".formatted(this.step.name,
					String.join(" ", this.step.arguments), reply(), lock(), readers(), queue());
		}

	}

}
