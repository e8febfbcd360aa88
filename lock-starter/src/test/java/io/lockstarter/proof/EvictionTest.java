package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
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
	void serverThatEvictsIsWarnedOfOnceAtTheStart() throws InterruptedException {
		try (Warnings warnings = new Warnings();
				RedisServer redis = RedisServers.start("--maxmemory-policy", "allkeys-lru", "--maxmemory", "50mb");
				Instance instance = new Instance(redis.port())) {
			instance.registry().acquire("stock:42", OPTIONS).close();
			redis.commands().configSet("maxmemory-policy", "volatile-ttl");
			CommandStats stats = new CommandStats(redis);
			Raw.ask(redis.port(), "CLIENT KILL TYPE normal");
			await().until(() -> stats.calls("script|load") + stats.calls("script") > 0);
			// Answered after the server was asked about its memory again.
			instance.registry().acquire("stock:42", OPTIONS).close();
			assertThat(warnings.messages).singleElement(STRING).contains("allkeys-lru", "noeviction");
		}
	}

	@ParameterizedTest
	@CsvSource({ "noeviction, 50mb", "allkeys-lru, 0" })
	void serverThatDoesNotEvictIsNotWarnedOf(String policy, String limit) throws InterruptedException {
		try (Warnings warnings = new Warnings();
				RedisServer redis = RedisServers.start("--maxmemory-policy", policy, "--maxmemory", limit);
				Instance instance = new Instance(redis.port())) {
			instance.registry().acquire("stock:42", OPTIONS).close();
			assertThat(warnings.messages).isEmpty();
		}
	}

	/**
	 * What is warned of.
	 */
	private static final class Warnings extends Handler implements AutoCloseable {

		private final Logger logger = Logger.getLogger("io.lockstarter.redis.EvictionWarning");

		private final List<String> messages = new CopyOnWriteArrayList<>();

		Warnings() {
			this.logger.addHandler(this);
			this.logger.setUseParentHandlers(false);
		}

		@Override
		public void publish(LogRecord line) {
			this.messages.add(new SimpleFormatter().formatMessage(line));
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
			this.logger.removeHandler(this);
			this.logger.setUseParentHandlers(true);
		}

	}

}
