// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.testkit.RedisServer;

/**
 * How often each command was executed by a Redis, from clients or in scripts.
 */
final class CommandStats {

	private static final Pattern LINE = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

	private final RedisServer redis;

	private Map<String, Long> before;

	/**
	 * Count from now on.
	 * @param redis a server that nobody else uses
	 */
	CommandStats(RedisServer redis) {
		this.redis = redis;
		this.before = read();
	}

	void restart() {
		this.before = read();
	}

	/**
	 * Return how often commands were executed since the start.
	 * @return calls by lower-case name, without those that were not executed
	 */
	Map<String, Long> calls() {
		Map<String, Long> calls = new TreeMap<>();
		read().forEach((command, count) -> {
			long since = count - this.before.getOrDefault(command, 0L);
			if (since > 0) {
				calls.put(command, since);
			}
		});
		calls.remove("info");
		return calls;
	}

	long calls(String command) {
		return calls().getOrDefault(command, 0L);
	}

	private Map<String, Long> read() {
		Map<String, Long> counts = new TreeMap<>();
		Matcher matcher = LINE.matcher(this.redis.commands().info("commandstats"));
		while (matcher.find()) {
			counts.put(matcher.group(1), Long.parseLong(matcher.group(2)));
		}
		return counts;
	}

}
