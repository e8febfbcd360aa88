package io.lockstarter.benchmark.contender;

import io.lettuce.core.api.async.RedisAsyncCommands;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Not a lock, but the least that one costs who asks Redis twice: two round trips of the
 * cheapest command over one connection.
 */
final class TwoPings implements LockAdapter {

	private final LettuceConnectionFactory factory;

	private final RedisAsyncCommands<String, String> commands;

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
