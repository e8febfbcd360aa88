// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis restarts, or forgets the scripts.
 */
@Tag("proof")
class RestartTest {

	private static final LockOptions RENEWED = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(5))
		.withWaitTime(Duration.ofSeconds(10));

	@Test
	void restartWithoutMemoryIsALossAndTheNextTokenIsLarger() throws InterruptedException {
		try (RedisServer redis = RedisServers.start(); Instance instance = new Instance(redis.port())) {
			Lease lease = instance.registry().acquire("stock:42", RENEWED);
			redis.restart();
			await().untilAsserted(() -> assertThat(instance.events()).containsExactly("lost TAKEN stock:42"));
			assertThat(lease.isValid()).isFalse();
			Lease next = acquire(instance, "stock:42");
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			next.close();
		}
	}

	@Test
	void restartWithAofKeepsTheLease() throws InterruptedException {
		try (RedisServer redis = RedisServers.start("--appendonly", "yes", "--appendfsync", "always");
				Instance instance = new Instance(redis.port());
				Instance other = new Instance(redis.port())) {
			Lease lease = instance.registry().acquire("stock:42", RENEWED);
			redis.restart();
			await().during(RENEWED.ttl().plusSeconds(1)).until(lease::isValid);
			assertThat(other.registry().tryAcquire("stock:42", RENEWED.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
			assertThat(instance.events()).isEmpty();
			assertThat(acquire(other, "stock:42").fencingToken()).isGreaterThan(lease.fencingToken());
		}
	}

	@Test
	void nobodyNoticesThatScriptsAreFlushed() throws InterruptedException {
		try (RedisServer redis = RedisServers.start();
				Instance instance = new Instance(redis.port());
				Instance other = new Instance(redis.port())) {
			Lease lease = instance.registry().acquire("stock:42", RENEWED.withTtl(Duration.ofMillis(3500)));
			var next = other.registry().acquireAsync("stock:42", RENEWED);
			redis.commands().scriptFlush();
			await().during(Duration.ofSeconds(4)).until(lease::isValid);
			await().until(() -> redis.commands().exists("{lock}queue:stock:42") == 1);
			redis.commands().scriptFlush();
			assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
			redis.commands().scriptFlush();
			assertThat(next).succeedsWithin(Duration.ofSeconds(10));
			assertThat(instance.events()).isEmpty();
			next.join().close();
		}
	}

	@Test
	void loadingRedisRefusesAtOnceAndServesAfterwards() throws InterruptedException {
		try (RedisServer redis = RedisServers.startForDebugging("--appendonly", "yes");
				Instance instance = new Instance(redis.port())) {
			acquire(instance, "connect").close();
			redis.commands()
				.eval("for i = 1, 60000 do redis.call('SET', 'load-' .. i, 1) end", ScriptOutputType.STATUS);
			// a fifth of a millisecond each
			Raw.ask(redis.port(), "CONFIG SET key-load-delay 200");
			var loaded = CompletableFuture.supplyAsync(() -> Raw.ask(redis.port(), "DEBUG LOADAOF"));
			await().pollInterval(Duration.ofMillis(10))
				.until(() -> Raw.ask(redis.port(), "PING").startsWith("-LOADING"));
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> instance.registry().acquire("stock:42", RENEWED))
				.withMessageContaining("LOADING")
				.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isFalse());
			Raw.ask(redis.port(), "CONFIG SET key-load-delay 0");
			assertThat(loaded.join()).isEqualTo("+OK");
			acquire(instance, "stock:42").close();
		}
	}

	/**
	 * The first commands after a restart may fail while the connection comes back.
	 */
	private static Lease acquire(Instance instance, String key) {
		return await().ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> instance.registry().tryAcquire(key, RENEWED).orElse(null), (lease) -> lease != null);
	}

}
