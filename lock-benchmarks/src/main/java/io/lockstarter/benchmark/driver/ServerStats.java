// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a Redis did since it started. In a cluster the primaries count, but for the CPU
 * time, which is that of all nodes.
 *
 * @param version its version
 * @param calls how often each command was executed, by clients and by scripts
 * @param cpuSeconds its CPU time
 * @param usedMemory how many bytes it has in use
 * @param keys how many keys there are
 * @param expiring how many of them expire
 */
record ServerStats(String version, Map<String, Long> calls, double cpuSeconds, long usedMemory, long keys,
		long expiring) {

	private static final Pattern CALLS = Pattern.compile("(?m)^cmdstat_([^:]+):calls=(\\d+)");

	private static final Pattern KEYS = Pattern.compile("(?m)^db0:keys=(\\d+),expires=(\\d+)");

	/**
	 * Read the replies to {@code INFO all}.
	 * @param infos that of the only server, or those of all nodes
	 * @return the statistics
	 */
	static ServerStats of(List<String> infos) {
		List<ServerStats> primaries = infos.stream()
			.filter((info) -> value(info, "role").equals("master"))
			.map(ServerStats::parse)
			.toList();
		Map<String, Long> calls = new LinkedHashMap<>();
		primaries.forEach((each) -> each.calls.forEach((command, number) -> calls.merge(command, number, Long::sum)));
		return new ServerStats(value(infos.get(0), "redis_version"), calls,
				infos.stream().mapToDouble(ServerStats::cpuSeconds).sum(),
				primaries.stream().mapToLong(ServerStats::usedMemory).sum(),
				primaries.stream().mapToLong(ServerStats::keys).sum(),
				primaries.stream().mapToLong(ServerStats::expiring).sum());
	}

	private static ServerStats parse(String info) {
		Map<String, Long> calls = new LinkedHashMap<>();
		Matcher matcher = CALLS.matcher(info);
		while (matcher.find()) {
			calls.put(matcher.group(1), Long.valueOf(matcher.group(2)));
		}
		// There is no such line without a key.
		Matcher keys = KEYS.matcher(info);
		boolean any = keys.find();
		return new ServerStats(value(info, "redis_version"), calls, cpuSeconds(info),
				Long.parseLong(value(info, "used_memory")), any ? Long.parseLong(keys.group(1)) : 0,
				any ? Long.parseLong(keys.group(2)) : 0);
	}

	/**
	 * Return how many commands were executed since then.
	 * @param before an earlier state
	 * @return the number, without those that asked for the states
	 */
	long commandsSince(ServerStats before) {
		return this.calls.keySet()
			.stream()
			.filter((command) -> !command.equals("info"))
			.mapToLong((command) -> since(before, command))
			.sum();
	}

	/**
	 * Return how many scripts were called since then.
	 * @param before an earlier state
	 * @return the number
	 */
	long scriptsSince(ServerStats before) {
		return since(before, "eval") + since(before, "evalsha");
	}

	private long since(ServerStats before, String command) {
		return this.calls.getOrDefault(command, 0L) - before.calls.getOrDefault(command, 0L);
	}

	private static double cpuSeconds(String info) {
		return Double.parseDouble(value(info, "used_cpu_sys")) + Double.parseDouble(value(info, "used_cpu_user"));
	}

	private static String value(String info, String name) {
		Matcher matcher = Pattern.compile("(?m)^" + name + ":([^\\r\\n]+)").matcher(info);
		if (!matcher.find()) {
			throw new IllegalStateException("INFO has no " + name);
		}
		return matcher.group(1);
	}

}
