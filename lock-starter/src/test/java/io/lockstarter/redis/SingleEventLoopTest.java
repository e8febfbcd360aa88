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
package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link SingleEventLoop}.
 */
class SingleEventLoopTest {

	@Test
	void connectionsShareOneOfTheApplicationsThreadsAndReturnIt() throws Exception {
		ClientResources application = DefaultClientResources.builder().ioThreadPoolSize(4).build();
		try (RedisServer server = RedisServers.start()) {
			RedisURI uri = RedisURI.create(server.host(), server.port());
			RedisClient applicationClient = RedisClient.create(application, uri);
			RedisClient client = RedisClient.create(SingleEventLoop.of(application), uri);
			assertThat(threads(applicationClient)).hasSizeGreaterThan(1);
			assertThat(threads(client)).hasSize(1);
			client.shutdown(0, 1, TimeUnit.SECONDS);
			assertThat(threads(applicationClient)).as("still works").isNotEmpty();
			applicationClient.shutdown(0, 1, TimeUnit.SECONDS);
		}
		assertThat(application.shutdown(0, 10, TimeUnit.SECONDS).get(30, TimeUnit.SECONDS)).isTrue();
	}

	/**
	 * Return the threads on which the replies of some connections arrive.
	 */
	private static Set<String> threads(RedisClient client) throws Exception {
		List<CompletableFuture<String>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			StatefulRedisConnection<String, String> connection = client.connect();
			connection.setAutoFlushCommands(false);
			threads.add(connection.async()
				.ping()
				.toCompletableFuture()
				.thenApply((reply) -> Thread.currentThread().getName()));
			connection.flushCommands();
		}
		Set<String> names = new HashSet<>();
		for (CompletableFuture<String> thread : threads) {
			names.add(thread.get(30, TimeUnit.SECONDS));
		}
		return names;
	}

}
