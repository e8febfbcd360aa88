// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

/**
 * Measures what a call of the script for locks costs a real Redis, compared with another
 * script: that of an earlier version, which {@code save <file>} wrote there, and
 * {@code <file>} reads. Both take turns, and medians are compared, as others use the
 * machine, too. Differences below 2 % are noise.
 */
final class ScriptCost {

	private static final int ROUNDS = 60;

	private static final int CALLS = 500;

	private static final String OWNER = "instance-a:1";

	private static final String OTHER = "instance-b:1";

	private static final Pattern STATISTICS = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)");

	private ScriptCost() {
	}

	public static void main(String[] args) throws IOException {
		String script = ScriptTexts.commands(RedisStoreSettings.defaults(), false);
		if (args.length == 2 && args[0].equals("save")) {
			Files.writeString(Path.of(args[1]), script);
			return;
		}
		try (RedisServer server = RedisServers.start()) {
			RealConnection redis = new RealConnection(server.port());
			RealConnection listener = new RealConnection(server.port());
			listener.execute("SUBSCRIBE", "{lock}signal:instance-b");
			String before = Files.readString(Path.of(args[0]));
			// An earlier one has names in place of flags.
			Map<String, List<List<String>>> olds = cases(load(redis, before), before.contains("+join"));
			cases(load(redis, script), true).forEach((name, commands) -> {
				List<Double> old = new ArrayList<>();
				List<Double> present = new ArrayList<>();
				for (int i = 0; i < ROUNDS; i++) {
					old.add(micros(redis, olds.get(name)));
					present.add(micros(redis, commands));
					listener.drain(List.of());
				}
				System.out.printf("%-30s %7.2f µs before %7.2f µs now %+5.1f %%%n", name, median(old), median(present),
						100 * (median(present) / median(old) - 1));
			});
			redis.close();
			listener.close();
		}
	}

	private static String load(RealConnection redis, String script) {
		return ((Reply.Bulk) redis.execute("SCRIPT", "LOAD", Resp.latin(script))).text();
	}

	private static Map<String, List<List<String>>> cases(String digest, boolean flags) {
		List<String> held = List.of("SET", lock(0), OWNER, "PX", "30000");
		List<String> contended = List.of("SET", lock(0), OWNER + "*", "PX", "30000");
		List<String> queued = List.of("ZADD", "{lock}queue:0", "1", "instance-b");
		List<String> acquire = call(digest, 1, "acquire", OWNER, "30000", "8");
		List<String> release = call(digest, 1, "release", OWNER);
		List<String> join = callInFull(digest,
				Stream
					.concat(flags ? Stream.of("+join", "acquire") : Stream.of("acquire-or-join"),
							Stream.of(OTHER, "30000", "8"))
					.toArray(String[]::new));
		List<String> passOn = callInFull(digest, "+", "release", OWNER);
		List<List<String>> all = new ArrayList<>();
		List<String> renewAll = new ArrayList<>(List.of("renew", "50"));
		for (int i = 0; i < 50; i++) {
			all.add(List.of("SET", lock(i), OWNER, "PX", "30000"));
			renewAll.addAll(List.of(OWNER, "30000"));
		}
		all.add(call(digest, 50, renewAll.toArray(String[]::new)));
		Map<String, List<List<String>>> cases = new LinkedHashMap<>();
		cases.put("acquire and release, free", List.of(acquire, release));
		cases.put("busy", List.of(held, call(digest, 1, "acquire", OTHER, "30000", "8")));
		cases.put("busy, and join", List.of(held, join));
		cases.put("renew 1", List.of(held, call(digest, 1, "renew", "1", OWNER, "30000")));
		cases.put("renew 50", all);
		cases.put("release with a waiter", List.of(contended, queued, passOn));
		cases.put("acquire two in one call",
				List.of(call(digest, 2, "acquire", OWNER, "30000", "8", "acquire", OWNER, "30000", "8"),
						List.of("DEL", lock(0)), List.of("DEL", lock(1))));
		return cases;
	}

	private static String lock(int number) {
		return "{lock}lock:" + number;
	}

	private static List<String> callInFull(String digest, String... arguments) {
		return Stream
			.of(Stream.of("EVALSHA", digest, "5", "{lock}fence"), ScriptTexts.keys(lock(0)).stream(), Stream.of(""),
					Arrays.stream(arguments))
			.flatMap((part) -> part)
			.toList();
	}

	private static List<String> call(String digest, int locks, String... arguments) {
		return Stream
			.of(Stream.of("EVALSHA", digest, Integer.toString(locks + 1), "{lock}fence"),
					IntStream.range(0, locks).mapToObj(ScriptCost::lock), Stream.of(""), Arrays.stream(arguments))
			.flatMap((part) -> part)
			.toList();
	}

	private static double micros(RealConnection redis, List<List<String>> commands) {
		redis.execute("FLUSHALL");
		List<List<String>> repeated = Collections.nCopies(CALLS / commands.size() + 1, commands)
			.stream()
			.flatMap(List::stream)
			.toList();
		redis.execute("CONFIG", "RESETSTAT");
		for (Reply reply : redis.execute(repeated)) {
			if (reply.toString().contains("=!") || reply.toString().contains("=+") || reply instanceof Reply.Failure) {
				throw new IllegalStateException(reply.toString());
			}
		}
		Matcher matcher = STATISTICS.matcher(((Reply.Bulk) redis.execute("INFO", "commandstats")).raw());
		if (!matcher.find()) {
			throw new IllegalStateException("No call was counted");
		}
		return Double.parseDouble(matcher.group(2)) / Double.parseDouble(matcher.group(1));
	}

	private static double median(List<Double> values) {
		return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
	}

}
