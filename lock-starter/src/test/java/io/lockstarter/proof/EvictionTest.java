package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis is full and throws away what expires, locks among it.
 */
class EvictionTest {

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(3))
		.withWaitTime(Duration.ofSeconds(5));

	@Test
	void evictedLockIsLostAtTheNextRenewalAndTheNextTokenIsLarger() throws InterruptedException {
		try (RedisServer redis = RedisServers.start("--maxmemory-policy", "volatile-lru");
				Instance instance = new Instance(redis.port())) {
			Lease lease = instance.registry().acquire("stock:42", OPTIONS);
			redis.commands().configSet("maxmemory", "1");
			await().until(() -> {
				// any command that needs memory has Redis look for what to evict
				Raw.ask(redis.port(), "SET filler 1");
				return redis.commands().exists("{lock:stock:42}", "{lock:stock:42}:fence") == 0;
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

}
