// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis is full and throws away what expires, locks among it.
 */
@ExtendWith(OutputCaptureExtension.class)
class EvictionTest {

	private static final String WARNING = "Set maxmemory-policy to noeviction";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(6))
		.withWaitTime(Duration.ofSeconds(20));

	@Test
	void evictedLockIsLostAtTheNextRenewalAndTheNextTokenIsLarger() throws InterruptedException {
		try (RedisServer redis = RedisServers.start("--maxmemory-policy", "volatile-lru");
				Instance instance = new Instance(redis.port())) {
			Lease lease = instance.registry().acquire("stock:42", OPTIONS);
			redis.commands().configSet("maxmemory", "1");
			await().until(() -> {
				// any command that needs memory has Redis look for what to evict
				Raw.ask(redis.port(), "SET filler 1");
				return redis.commands().exists("{lock}lock:stock:42", "{lock}fence") == 0;
			});
			redis.commands().configSet("maxmemory", "0");
			await().atMost(OPTIONS.ttl())
				.untilAsserted(() -> assertThat(instance.events()).containsExactly("lost TAKEN stock:42"));
			assertThat(lease.isValid()).isFalse();
			Lease next = instance.registry().acquire("stock:42", OPTIONS);
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			next.close();
		}
	}

	@Test
	void serverThatEvictsIsWarnedOfOnceAtTheStart(CapturedOutput output) throws InterruptedException {
		try (RedisServer redis = RedisServers.start("--maxmemory-policy", "allkeys-lru", "--maxmemory", "50mb");
				Instance instance = new Instance(redis.port())) {
			instance.registry().acquire("stock:42", OPTIONS).close();
			redis.commands().configSet("maxmemory-policy", "volatile-ttl");
			CommandStats stats = new CommandStats(redis);
			Raw.ask(redis.port(), "CLIENT KILL TYPE normal");
			await().until(() -> stats.calls("evalsha") > 0);
			// Answered after the server was asked about its memory again.
			instance.registry().acquire("stock:42", OPTIONS).close();
			assertThat(output).contains("WARN").contains("allkeys-lru").containsOnlyOnce(WARNING);
		}
	}

	@ParameterizedTest
	@CsvSource({ "noeviction, 50mb", "allkeys-lru, 0" })
	void serverThatDoesNotEvictIsNotWarnedOf(String policy, String limit, CapturedOutput output)
			throws InterruptedException {
		try (RedisServer redis = RedisServers.start("--maxmemory-policy", policy, "--maxmemory", limit);
				Instance instance = new Instance(redis.port())) {
			instance.registry().acquire("stock:42", OPTIONS).close();
			assertThat(output).doesNotContain(WARNING);
		}
	}

}
