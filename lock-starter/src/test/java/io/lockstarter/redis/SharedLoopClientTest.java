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

import java.time.Duration;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;

class SharedLoopClientTest {

	private final RedisServer server = RedisServers.shared();

	private final SharedLoopClient client = new SharedLoopClient(RedisServers.clientResources());

	@AfterEach
	void close() {
		this.client.shutdown(Duration.ZERO, Duration.ZERO);
	}

	@Test
	void connectionsToOneAddressShareAThread() {
		RedisURI address = at(this.server.host());
		assertThat(Stream
			.of(this.client.connect(address), this.client.connectPubSub(address), this.client.connect(address))
			.map(SharedLoopClientTest::threadOf)).containsOnly(threadOf(this.client.connectPubSub(address)));
	}

	@Test
	void connectionsToOtherAddressesNeedNotShareIt() {
		assertThat(threadOf(this.client.connect(at("127.0.0.1"))))
			.isNotEqualTo(threadOf(this.client.connect(at("localhost"))));
	}

	private RedisURI at(String host) {
		return RedisURI.create(host, this.server.port());
	}

	/**
	 * Returns which thread tells of a reply: one that comes late enough to be told of.
	 */
	private static String threadOf(StatefulRedisConnection<String, String> connection) {
		return connection.async()
			.waitForReplication(1, 50)
			.thenApply((replicas) -> Thread.currentThread().getName())
			.toCompletableFuture()
			.join();
	}

}
