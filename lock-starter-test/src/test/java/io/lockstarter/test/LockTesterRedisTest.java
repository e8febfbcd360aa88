// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.test.AutoConfigureDistributedLock.Store;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisExecProvider;
import redis.embedded.RedisServer;
import redis.embedded.ports.EphemeralPortProvider;
import redis.embedded.util.OSDetector;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link LockTester} of a slice whose locks are in Redis.
 */
@SpringJUnitConfig
@AutoConfigureDistributedLock(store = Store.REDIS)
@TestPropertySource(properties = "distributed-lock.key-prefix=LockTesterRedisTest")
class LockTesterRedisTest {

	private static RedisServer server;

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	@Autowired
	private LockRegistry registry;

	@Autowired
	private LockTester tester;

	@Autowired
	private StringRedisTemplate redis;

	@BeforeAll
	static void start() throws IOException {
		RedisExecProvider binary = RedisExecProvider.defaultProvider();
		String named = System.getenv().getOrDefault("LOCK_STARTER_REDIS", "");
		if (named.startsWith("/")) {
			binary.override(OSDetector.getOS(), named);
		}
		server = RedisServer.builder()
			.redisExecProvider(binary)
			.bind("127.0.0.1")
			.port(new EphemeralPortProvider().next())
			.setting("save \"\"")
			.build();
		server.start();
	}

	@AfterAll
	static void stop() throws IOException {
		server.stop();
	}

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.host", () -> "127.0.0.1");
		properties.add("spring.data.redis.port", () -> server.ports().get(0));
	}

	@Test
	void heldKeyIsBusyInRedisAndGoesToTheWaiterWhenItIsReleased() throws Exception {
		Lease busy = this.tester.hold("k");
		assertThat(this.redis.hasKey("{LockTesterRedisTest}lock:k")).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.registry.acquire("k", ONCE))
			.satisfies((ex) -> assertThat(ex.holders()).containsExactly(busy.ownerId()));
		CompletableFuture<Lease> waiting = this.registry.acquireAsync("k", LockOptions.defaults());
		busy.close();
		waiting.get(10, TimeUnit.SECONDS).close();
		assertThat(this.tester.isHeld("k")).isFalse();
		assertThat(this.tester.acquired("k")).hasSize(1);
	}

	@Test
	void leaseIsLostToTheOtherInstance() throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE);
		CompletableFuture<LossCause> cause = new CompletableFuture<>();
		lease.onLost(cause::complete);
		Lease taken = this.tester.takeOver("k");
		assertThat(lease.isValid()).isFalse();
		assertThat(cause.join()).isEqualTo(LossCause.TAKEN);
		assertThat(taken.fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void storeIsUnavailableForAWhile() throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE);
		try (LockTester.Outage outage = this.tester.makeUnavailable()) {
			assertThat(outage).isNotNull();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.registry.acquire("l", ONCE));
			lease.close();
			assertThat(this.tester.isHeld("k")).isTrue();
		}
		this.registry.acquire("l", ONCE).close();
		this.tester.hold("k");
	}

	@Configuration(proxyBeanMethods = false)
	static class NoBeans {

	}

}
