/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
