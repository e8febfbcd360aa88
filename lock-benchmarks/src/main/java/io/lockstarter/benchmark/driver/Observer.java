// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The driver's own connections to all servers, to look at what the measured JVMs do
 * there.
 */
final class Observer implements AutoCloseable {

	private static final String SAMPLE = """
			local keys, lowest, low, highest = redis.call('KEYS', '*'), -1, 0, -1
			for _, key in ipairs(keys) do
				local ttl = redis.call('PTTL', key)
				if ttl >= 0 then
					highest = math.max(highest, ttl)
					lowest = lowest < 0 and ttl or math.min(lowest, ttl)
					low = low + (ttl < tonumber(ARGV[1]) and 1 or 0)
				end
			end
			return {#keys, lowest, low, highest}""";

	private final RedisClient client = RedisClient.create();

	private final List<RedisCommands<String, String>> servers;

	Observer(List<Integer> ports) {
		this.servers = ports.stream()
			.map((port) -> this.client.connect(RedisURI.create("127.0.0.1", port)).sync())
			.toList();
	}

	/**
	 * Return whether all nodes of a cluster serve, and all replicas have what their
	 * primaries have.
	 * @return whether it may be used
	 */
	boolean isStable() {
		return this.servers.stream().allMatch((node) -> {
			String replication = node.info("replication");
			return node.clusterInfo().contains("cluster_state:ok")
					&& (replication.contains("connected_slaves:1") || replication.contains("master_link_status:up"));
		});
	}

	ServerStats stats() {
		return ServerStats.of(this.servers.stream().map((server) -> server.info("all")).toList());
	}

	/**
	 * Look at the ttl of all keys, with one call of a script, on a single server.
	 * @param lowMillis what a low ttl is
	 * @return what was seen
	 */
	KeySample sample(long lowMillis) {
		List<Long> reply = this.servers.get(0)
			.eval(SAMPLE, ScriptOutputType.MULTI, new String[0], String.valueOf(lowMillis));
		return new KeySample(reply.get(0), reply.get(1), reply.get(2), reply.get(3));
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	/**
	 * The keys at one moment.
	 *
	 * @param keys how many there are
	 * @param lowestMillis the lowest ttl
	 * @param low how many have a low ttl
	 * @param highestMillis the highest ttl
	 */
	record KeySample(long keys, long lowestMillis, long low, long highestMillis) {

	}

}
