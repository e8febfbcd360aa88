// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.lettuce.core.ScriptOutputType;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisCluster;
import io.lockstarter.testkit.RedisServer;

/**
 * Where the locks of an instance are in a Redis Cluster.
 */
final class ClusterKeys {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofSeconds(30));

	private ClusterKeys() {
	}

	/**
	 * Return the name in Redis of a lock that is held.
	 */
	static Optional<String> nameOfHeld(RedisCluster cluster, String key) {
		return cluster.keys("*}lock:" + key).stream().findFirst();
	}

	/**
	 * Return the slot of the lock of a key.
	 */
	static int slotOf(RedisCluster cluster, Instance instance, String key) throws InterruptedException {
		Optional<String> held = nameOfHeld(cluster, key);
		if (held.isPresent()) {
			return RedisCluster.slotOf(held.get());
		}
		try (Lease lease = instance.registry().acquire(key, PATIENT)) {
			return RedisCluster.slotOf(nameOfHeld(cluster, lease.key()).orElseThrow());
		}
	}

	static RedisServer primaryOf(RedisCluster cluster, Instance instance, String key) {
		try {
			return cluster.primaryOf(slotOf(cluster, instance, key));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return keys whose locks are in different slots, one at each primary.
	 */
	static List<String> onePerPrimary(RedisCluster cluster, Instance instance, String prefix) {
		return cluster.primaries()
			.stream()
			.map((primary) -> IntStream.iterate(0, (i) -> i + 1)
				.mapToObj((i) -> prefix + i)
				.filter((key) -> primaryOf(cluster, instance, key) == primary)
				.findFirst()
				.orElseThrow())
			.toList();
	}

	/**
	 * Return how often an instance listens at a node, in whatever way.
	 */
	static long subscribers(RedisServer node, String instance) {
		String script = """
				local channels = redis.call('PUBSUB', 'CHANNELS', ARGV[1])
				local sharded = redis.pcall('PUBSUB', 'SHARDCHANNELS', ARGV[1])
				return #channels + (sharded.err and 0 or #sharded)""";
		return node.commands().<Long>eval(script, ScriptOutputType.INTEGER, new String[0], "*signal:" + instance);
	}

	static long subscribers(RedisCluster cluster, String instance) {
		return cluster.primaries().stream().mapToLong((node) -> subscribers(node, instance)).sum();
	}

	/**
	 * Return whether an event is one of a lease, and not of a release that was repeated.
	 */
	static boolean isLoss(String event) {
		return event.startsWith("lost");
	}

	/**
	 * Return a number of {@code INFO replication}.
	 */
	static long offset(RedisServer server, String name) {
		Matcher matcher = Pattern.compile(name + ":(\\d+)").matcher(server.commands().info("replication"));
		return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
	}

}
