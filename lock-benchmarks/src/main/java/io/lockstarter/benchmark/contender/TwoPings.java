// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Not a lock, but the least that one costs who asks Redis twice: two round trips of the
 * cheapest command over one connection.
 */
final class TwoPings implements LockAdapter {

	private final LettuceConnectionFactory factory;

	private final RedisClusterAsyncCommands<String, String> commands;

	TwoPings(Target target) {
		this.factory = SpringRedis.connectionFactory(target);
		this.commands = SpringRedis.connect(this.factory);
	}

	@Override
	public Held lock(String key) {
		ping();
		return this::ping;
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

	private void ping() {
		this.commands.ping().toCompletableFuture().join();
	}

}
