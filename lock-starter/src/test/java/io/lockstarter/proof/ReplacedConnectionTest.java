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
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The server closes the connections of an application, which connects anew.
 */
class ReplacedConnectionTest {

	private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

	private final RedisServer redis = RedisServers.start();

	private final Instance instance = new Instance(this.redis.port());

	@AfterEach
	void close() {
		this.instance.close();
		this.redis.close();
	}

	@Test
	void leaseThatWasAcquiredAfterItIsExtendedAtOnce() throws InterruptedException {
		Lease before = acquire("before");
		Raw.ask(this.redis.port(), "CLIENT KILL TYPE normal");
		acquire("reconnects").close();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> before.extend(FIVE_MINUTES));
		Lease after = acquire("after");
		assertThat(after.extend(FIVE_MINUTES)).isTrue();
		assertThat(this.redis.commands().pttl("{lock}lock:after")).isGreaterThan(250_000);
	}

	private Lease acquire(String key) throws InterruptedException {
		return this.instance.registry().acquire(key, LockOptions.defaults());
	}

}
