// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A {@link SmallRedis} answers as a real one does, and has the same keys afterwards.
 * {@code -Ddifferential.steps} and {@code -Ddifferential.seed} say how long, and which
 * commands. Two servers have two clocks: the small one is set to what the other says just
 * before each command, and times may differ by as much as passed during that command.
 */
class DifferentialTest {

	private static final int STEPS = Integer.getInteger("differential.steps", 2_000);

	private static final long SEED = Long.getLong("differential.seed", 27);

	// Ends before anything expires but what is to expire at once.
	private static final int EPISODE = 300;

	private static final Pattern NUMBER = Pattern.compile("\\d+");

	// How long to wait for an old lock is drawn by the clock: see old-locks.lua. And time
	// passes for a real server during a script.
	private static final Pattern PAUSE = Pattern.compile("2[5-9]|[34]\\d|50|[0-3]");

	private final RedisServer server = RedisServers.start();

	private final RealConnection real = new RealConnection(this.server.port());

	private final List<RealConnection> realListeners = List.of(new RealConnection(this.server.port()),
			new RealConnection(this.server.port()));

	private final List<Listener> listeners = List.of(new Listener(), new Listener());

	private final Random random = new Random(SEED);

	private final RandomCommands commands = new RandomCommands(this.random);

	private final SmallRedis small = new SmallRedis("small", 1, () -> this.micros, new Random(SEED));

	private final SmallClient client = this.small.connect((push) -> {
	});

	private final List<String> realIds = new ArrayList<>();

	private final List<String> smallIds = new ArrayList<>();

	private final Map<String, Integer> outcomes = new HashMap<>();

	private long micros;

	// the latest time at which the real one executed the last command
	private long executed;

	private long skew;

	private int step;

	@AfterEach
	void close() {
		this.realListeners.forEach(RealConnection::close);
		this.real.close();
		this.server.close();
	}

	@Test
	void smallRedisAnswersAsARealOneDoes() {
		String version = String.valueOf(this.server.commands().info("server"));
		assumeTrue(version.contains("redis_version:7.0."), "The small Redis is one of version 7.0");
		this.listeners.forEach((listener) -> listener.client = this.small.connect(listener.pushes::add));
		learnIds();
		// One of them has messages pushed.
		this.realListeners.get(1).execute("HELLO", "3");
		this.listeners.get(1).client.execute("HELLO", "3");
		while (this.step < STEPS) {
			for (int i = 0; i < EPISODE; i++) {
				this.step++;
				step();
			}
			endEpisode();
		}
		System.out.println("Differential test of %d steps, seed %d: %s".formatted(this.step, SEED, this.outcomes));
		// It would be no test if everything was refused.
		assertThat(this.outcomes.getOrDefault("EVALSHA", 0)).isGreaterThan(STEPS / 5);
	}

	private void step() {
		int kind = this.random.nextInt(100);
		if (kind < 8) {
			int index = this.random.nextInt(this.listeners.size());
			List<String> command = this.commands.subscription();
			check("listener " + index, command, this.realListeners.get(index).drain(command),
					this.listeners.get(index).execute(command));
		}
		else if (kind == 8) {
			checkKeys();
		}
		else if (kind == 9 && this.random.nextInt(5) == 0) {
			setReplica(!this.small.isReplica());
		}
		else {
			List<String> command = this.commands.next(this.micros / 1000);
			execute(command);
			if (this.commands.isPassing()) {
				pass();
			}
		}
	}

	private Reply execute(List<String> command) {
		List<Reply> replies = this.real.execute(List.of(List.of("TIME"), with(this.realIds, command), List.of("TIME")));
		this.micros = micros(replies.get(0));
		this.executed = micros(replies.get(2));
		this.skew = Math.max(this.skew, this.executed - this.micros);
		Reply expected = replies.get(1);
		Reply actual = this.client.execute(bytes(with(this.smallIds, command)));
		check("client", command, expected, actual);
		if (RandomCommands.isScript(command) || command.get(0).endsWith("PUBLISH")) {
			for (int i = 0; i < this.listeners.size(); i++) {
				check("listener " + i + " after", command, this.realListeners.get(i).drain(List.of()),
						this.listeners.get(i).execute(List.of()));
			}
		}
		if (!(expected instanceof Reply.Failure)) {
			this.outcomes.merge(command.get(0).toUpperCase(Locale.ROOT), 1, Integer::sum);
		}
		return actual;
	}

	// For both, what expires at once is over then.
	private void pass() {
		long end = this.executed + (RandomCommands.SHORT + 2) * 1000L;
		while (this.micros < end) {
			this.micros = micros(this.real.execute("TIME"));
		}
	}

	private void setReplica(boolean replica) {
		if (replica) {
			this.real.execute("REPLICAOF", "127.0.0.1", "1");
			this.small.demote();
		}
		else {
			this.real.execute("REPLICAOF", "NO", "ONE");
			this.small.promote();
			learnIds();
		}
	}

	private void learnIds() {
		learnIds(this.realIds, this.real.execute("INFO"));
		learnIds(this.smallIds, this.client.execute("INFO"));
	}

	private static void learnIds(List<String> ids, Reply info) {
		Matcher matcher = Pattern.compile("(?:run_id|master_replid):(\\w+)").matcher(((Reply.Bulk) info).raw());
		while (matcher.find()) {
			if (!ids.contains(matcher.group(1))) {
				ids.add(matcher.group(1));
			}
		}
	}

	private static List<String> with(List<String> ids, List<String> command) {
		return command.stream().map((part) -> part.contains(RandomCommands.ID) ? with(ids, part) : part).toList();
	}

	private static String with(List<String> ids, String part) {
		String filled = part;
		for (int i = 0; i < 3; i++) {
			filled = filled.replace(RandomCommands.ID + i, ids.get(Math.max(0, (i == 0) ? 0 : ids.size() - i)));
		}
		return filled;
	}

	/**
	 * Compare all that both have, and begin anew.
	 */
	private void endEpisode() {
		if (this.small.isReplica()) {
			setReplica(false);
		}
		for (String key : checkKeys()) {
			Reply type = execute(List.of("TYPE", key));
			execute(List.of("PTTL", key));
			switch (((Reply.Status) type).text()) {
				case "string" -> execute(List.of("GET", key));
				case "hash" -> execute(List.of("HGETALL", key));
				default -> execute(List.of("ZRANGE", key, "0", "-1", "WITHSCORES"));
			}
		}
		execute(List.of("CONFIG", "SET", "maxmemory", "0"));
		execute(List.of("FLUSHALL"));
		this.skew = 0;
	}

	private Set<String> checkKeys() {
		Set<String> expected = keys(this.real.execute("KEYS", "*"));
		this.micros = micros(this.real.execute("TIME"));
		check("keys", List.of("KEYS", "*"), Reply.ofTexts(List.copyOf(expected)),
				Reply.ofTexts(List.copyOf(keys(this.client.execute("KEYS", "*")))));
		check("keys", List.of("SCAN"), Reply.ofTexts(List.copyOf(expected)), Reply.ofTexts(List.copyOf(scanned("*"))));
		Set<String> locks = new TreeSet<>(expected);
		locks.removeIf((key) -> !key.startsWith("{lock}lock:"));
		assertThat(scanned("{lock}lock:*")).isEqualTo(locks);
		return expected;
	}

	private Set<String> scanned(String pattern) {
		Set<String> scanned = new TreeSet<>();
		String cursor = "0";
		do {
			Reply.Array page = (Reply.Array) this.client.execute("SCAN", cursor, "MATCH", pattern, "COUNT", "2");
			cursor = ((Reply.Bulk) page.elements().get(0)).raw();
			scanned.addAll(keys(page.elements().get(1)));
		}
		while (!"0".equals(cursor));
		return scanned;
	}

	private static Set<String> keys(Reply reply) {
		return ((Reply.Array) reply).elements()
			.stream()
			.map((key) -> ((Reply.Bulk) key).raw())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static List<byte[]> bytes(List<String> command) {
		return command.stream().map((part) -> new Reply.Bulk(part).bytes()).toList();
	}

	private static long micros(Reply time) {
		List<Reply> parts = ((Reply.Array) time).elements();
		return Long.parseLong(((Reply.Bulk) parts.get(0)).raw()) * 1_000_000
				+ Long.parseLong(((Reply.Bulk) parts.get(1)).raw());
	}

	private void check(String who, List<String> command, List<Reply> expected, List<Reply> actual) {
		check(who, command, arranged(expected), arranged(actual));
	}

	/**
	 * Redis has subscriptions in no order of theirs: arrange messages to several patterns
	 * by these, and the ends of all subscriptions by name, each beside the other's count.
	 */
	private static Reply arranged(List<Reply> pushes) {
		List<Reply> arranged = new ArrayList<>(pushes);
		Comparator<Reply> order = Comparator.comparing(Reply::toString);
		for (int i = 0; i < arranged.size(); i++) {
			int end = i;
			while (end < arranged.size() && arranged.get(end).toString().contains("raw=pmessage]")) {
				end++;
			}
			arranged.subList(i, end).sort(order);
			i = end;
		}
		if (pushes.size() > 1 && pushes.toString().contains("unsubscribe]")) {
			List<Reply> parts = new ArrayList<>();
			pushes.forEach((push) -> parts.addAll(elements(push)));
			parts.sort(order);
			return new Reply.Array(parts);
		}
		return new Reply.Array(arranged);
	}

	private static List<Reply> elements(Reply reply) {
		if (reply instanceof Reply.Push push) {
			return push.elements();
		}
		return (reply instanceof Reply.Array array) ? array.elements() : List.of(reply);
	}

	private void check(String who, List<String> command, Reply expected, Reply actual) {
		if (!isSame(expected, actual)) {
			throw new AssertionError("Seed %d, step %d, %s: %s%nreal:  %s%nsmall: %s".formatted(SEED, this.step, who,
					printable(command), expected, actual));
		}
	}

	private static String printable(List<String> command) {
		return command.stream()
			.map((part) -> (part.length() > 300) ? part.lines().findFirst().orElse("") + " …" : part)
			.toList()
			.toString();
	}

	private boolean isSame(Reply expected, Reply actual) {
		if (expected.getClass() == actual.getClass()
				&& (expected instanceof Reply.Array || expected instanceof Reply.Push)) {
			List<Reply> some = elements(expected);
			List<Reply> others = elements(actual);
			boolean same = some.size() == others.size();
			for (int i = 0; same && i < some.size(); i++) {
				same = isSame(some.get(i), others.get(i));
			}
			return same;
		}
		if (expected instanceof Reply.Int some && actual instanceof Reply.Int others) {
			return isSame(Long.toString(some.value()), Long.toString(others.value()));
		}
		if (expected instanceof Reply.Bulk some && actual instanceof Reply.Bulk others) {
			return isSame(some.raw(), others.raw());
		}
		if (expected instanceof Reply.Failure some && actual instanceof Reply.Failure others) {
			return isSame(some.message(), others.message());
		}
		return expected.equals(actual);
	}

	private boolean isSame(String expected, String actual) {
		if (expected.equals(actual)) {
			return true;
		}
		String some = named(this.realIds, expected);
		String others = named(this.smallIds, actual);
		if (!NUMBER.matcher(some).replaceAll("#").equals(NUMBER.matcher(others).replaceAll("#"))) {
			return false;
		}
		Matcher left = NUMBER.matcher(some);
		Matcher right = NUMBER.matcher(others);
		while (left.find() && right.find()) {
			if (!left.group().equals(right.group()) && !isAboutSame(left.group(), right.group())) {
				return false;
			}
		}
		return true;
	}

	private static String named(List<String> ids, String text) {
		String named = text;
		for (int i = 0; i < ids.size(); i++) {
			named = named.replace(ids.get(i), "id" + i);
		}
		return withoutPause(named);
	}

	// The reply for a busy lock: its number, if there are several, the pause, by how much
	// the clock was set back, the next token, the holder.
	private static String withoutPause(String text) {
		String[] words = text.split(" ", -1);
		int place = (words[0].length() == 1 && isPause(words, 1)) ? 1 : 0;
		if (!isPause(words, place)) {
			return text;
		}
		words[place] = "pause";
		return String.join(" ", words);
	}

	private static boolean isPause(String[] words, int place) {
		return words.length > place + 3 && "0".equals(words[place + 1]) && PAUSE.matcher(words[place]).matches();
	}

	// Times in µs, in seconds, and in ms, also those that remain.
	private boolean isAboutSame(String expected, String actual) {
		if (expected.length() > 18 || actual.length() > 18) {
			return false;
		}
		long number = Long.parseLong(expected);
		long difference = Math.abs(number - Long.parseLong(actual));
		if (number > 100_000_000_000_000L) {
			return difference <= this.skew + 2000;
		}
		long tolerance = (number > 1_700_000_000 && number < 2_000_000_000) ? 1 : this.skew / 1000 + 3;
		return number > 1000 && difference <= tolerance;
	}

	private static final class Listener {

		private final List<Reply> pushes = new ArrayList<>();

		private SmallClient client;

		/**
		 * Execute a command, if there is any.
		 * @return all that came back, and was pushed before
		 */
		List<Reply> execute(List<String> command) {
			Reply reply = command.isEmpty() ? Reply.NOTHING : this.client.execute(bytes(command));
			List<Reply> all = new ArrayList<>(this.pushes);
			this.pushes.clear();
			if (!(reply instanceof Reply.Nothing)) {
				all.add(reply);
			}
			return all;
		}

	}

}
