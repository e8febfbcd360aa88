// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.LockOptions;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * The examples of docs/migration.md: each lock that people come from, and what takes its
 * place.
 */
class MigrationExamples {

	static class WrittenByHand {

		private static final RedisScript<Long> RELEASE = RedisScript.of(
				"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
				Long.class);

		private final StringRedisTemplate redis;

		private final Stock stock;

		WrittenByHand(StringRedisTemplate redis, Stock stock) {
			this.redis = redis;
			this.stock = stock;
		}

		public boolean buy(long productId) {
			String key = "lock.stock." + productId;
			String value = UUID.randomUUID().toString();
			if (!Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, value, Duration.ofSeconds(30)))) {
				return false;
			}
			try {
				return this.stock.take(productId);
			}
			finally {
				this.redis.execute(RELEASE, List.of(key), value);
			}
		}

	}

	static class WithRedisson {

		private final RedissonClient redisson;

		private final Stock stock;

		WithRedisson(RedissonClient redisson, Stock stock) {
			this.redisson = redisson;
			this.stock = stock;
		}

		public boolean buy(long productId) throws InterruptedException {
			RLock lock = this.redisson.getLock("inventory-lock:" + productId);
			if (!lock.tryLock(2, TimeUnit.SECONDS)) {
				return false;
			}
			try {
				return this.stock.take(productId);
			}
			finally {
				lock.unlock();
			}
		}

	}

	static class WithSpringIntegration {

		private final RedisLockRegistry locks;

		private final Stock stock;

		WithSpringIntegration(RedisLockRegistry locks, Stock stock) {
			this.locks = locks;
			this.stock = stock;
		}

		public boolean buy(long productId) {
			Lock lock = this.locks.obtain("stock:" + productId);
			lock.lock();
			try {
				return this.stock.take(productId);
			}
			finally {
				lock.unlock();
			}
		}

	}

	static class Annotated {

		private final Stock stock;

		Annotated(Stock stock) {
			this.stock = stock;
		}

		@DistributedLock(key = "stock:#{#productId}", ttl = "30s", waitTime = "2s")
		public boolean buy(long productId) {
			return this.stock.take(productId);
		}

	}

	static class Both {

		private final Lock oldLock;

		private final LockRegistry registry;

		private final Stock stock;

		Both(Lock oldLock, LockRegistry registry, Stock stock) {
			this.oldLock = oldLock;
			this.registry = registry;
			this.stock = stock;
		}

		public boolean buy(long productId) throws InterruptedException {
			if (!this.oldLock.tryLock(2, TimeUnit.SECONDS)) {
				return false;
			}
			try {
				return this.registry.call("stock:" + productId, LockOptions.defaults(),
						(scope) -> this.stock.take(productId));
			}
			finally {
				this.oldLock.unlock();
			}
		}

	}

	/**
	 * What is protected.
	 */
	interface Stock {

		boolean take(long productId);

	}

}
