// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.docs.MigrationExamples.Stock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.migration.OldLock;
import io.lockstarter.migration.OldLock.Format;
import io.lockstarter.migration.OldLocks;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/migration.md shows: the old code and the properties below it name the same
 * lock.
 */
class MigrationExamplesTest {

	private static final Pattern RULE = Pattern
		.compile("- keys: \"([^\"]+)\"\\s+from: ([a-z-]+)\\s+old-key: \"([^\"]+)\"");

	private final RedisServer redis = RedisServers.start();

	private final LettuceConnectionFactory factory = this.redis.connectionFactory();

	@AfterEach
	void close() {
		this.factory.destroy();
		this.redis.close();
	}

	@Test
	void ruleForLocksWrittenByHandNamesThem() throws Exception {
		StringRedisTemplate template = new StringRedisTemplate(this.factory);
		verify(Format.SET_NX, (stock) -> new MigrationExamples.WrittenByHand(template, stock)::buy);
	}

	@Test
	void ruleForRedissonNamesItsLocks() throws Exception {
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://%s:%d".formatted(this.redis.host(), this.redis.port()))
			.setConnectionMinimumIdleSize(1);
		RedissonClient redisson = Redisson.create(config);
		try {
			verify(Format.REDISSON, (stock) -> new MigrationExamples.WithRedisson(redisson, stock)::buy);
		}
		finally {
			redisson.shutdown(0, 1, TimeUnit.SECONDS);
		}
	}

	@Test
	void ruleForSpringIntegrationNamesItsLocks() throws Exception {
		RedisLockRegistry locks = new RedisLockRegistry(this.factory, "locks");
		verify(Format.SPRING_INTEGRATION, (stock) -> new MigrationExamples.WithSpringIntegration(locks, stock)::buy);
		locks.destroy();
	}

	@Test
	void lockLooksAtNewLocksOnlyAndTryLockAtBoth() {
		OldLock rule = new OldLock("stock:*", Format.SET_NX, "lock.stock.*");
		this.redis.commands().set("lock.stock.42", "old");
		try (RedisLockStore store = new RedisLockStore(this.factory,
				RedisStoreSettings.defaults().withScriptPart(new OldLocks(List.of(rule))))) {
			DefaultLockRegistry registry = registry(store);
			LeasedLock lock = registry.obtain("stock:42");
			assertThat(lock.isLocked()).isFalse();
			assertThat(lock.remainingTime()).isEmpty();
			assertThat(lock.tryLock()).isFalse();
			this.redis.commands().del("lock.stock.42");
			assertThat(lock.tryLock()).isTrue();
			assertThat(lock.isLocked()).isTrue();
			lock.unlock();
			registry.stop();
		}
	}

	@Test
	void bothAreHeldByHand() throws Exception {
		ReentrantLock old = new ReentrantLock();
		try (RedisLockStore store = new RedisLockStore(this.factory, RedisStoreSettings.defaults())) {
			DefaultLockRegistry registry = registry(store);
			Stock stock = (productId) -> old.isHeldByCurrentThread()
					&& this.redis.commands().exists("{lock}lock:stock:" + productId) == 1;
			assertThat(new MigrationExamples.Both(old, registry, stock).buy(42)).isTrue();
			assertThat(old.isLocked()).isFalse();
			registry.stop();
		}
	}

	@Test
	void annotatedMethodIsThePlainOneBeneath() {
		assertThat(new MigrationExamples.Annotated((productId) -> productId == 42).buy(42)).isTrue();
	}

	@Test
	void everyRuleIsValid() throws IOException {
		assertThat(rules()).hasSize(4);
	}

	private void verify(Format format, Function<Stock, OldService> service) throws Exception {
		List<OldLock> rules = rules().stream().filter((rule) -> rule.from() == format).toList();
		assertThat(rules).isNotEmpty();
		for (OldLock rule : rules) {
			try (RedisLockStore store = new RedisLockStore(this.factory,
					RedisStoreSettings.defaults().withScriptPart(new OldLocks(List.of(rule))))) {
				DefaultLockRegistry registry = registry(store);
				assertThat(service.apply((productId) -> isBusy(registry, productId)).buy(42)).isTrue();
				assertThat(isBusy(registry, 42)).isFalse();
				registry.stop();
			}
		}
	}

	private static boolean isBusy(LockRegistry registry, long productId) {
		try {
			Optional<Lease> lease = registry.tryAcquire("stock:" + productId,
					LockOptions.defaults().withWaitTime(Duration.ZERO));
			lease.ifPresent(Lease::close);
			return lease.isEmpty();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static DefaultLockRegistry registry(RedisLockStore store) {
		return new DefaultLockRegistry("migrating", store, RegistrySettings.defaults(), List.of());
	}

	private static List<OldLock> rules() throws IOException {
		return RULE.matcher(document())
			.results()
			.map((match) -> new OldLock(match.group(1),
					Format.valueOf(match.group(2).toUpperCase(Locale.ROOT).replace('-', '_')), match.group(3)))
			.toList();
	}

	private static String document() throws IOException {
		return Files.readString(Path.of("../docs/migration.md"));
	}

	private interface OldService {

		boolean buy(long productId) throws Exception;

	}

}
