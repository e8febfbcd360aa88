package io.lockstarter.benchmark.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * Not a lock, but the least that one costs who asks Redis twice: two round trips of the
 * cheapest command over one connection.
 */
final class TwoPings implements LockAdapter {

	private final RedisClient client;

	private final RedisAsyncCommands<String, String> commands;

	TwoPings(Target target) {
		this.client = RedisClient.create(RedisURI.create(Target.HOST, target.port()));
		this.commands = this.client.connect().async();
	}

	@Override
	public Held lock(String key) {
		ping();
		return this::ping;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	private void ping() {
		this.commands.ping().toCompletableFuture().join();
	}

}
