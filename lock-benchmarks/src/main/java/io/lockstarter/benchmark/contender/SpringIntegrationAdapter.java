// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The lock registry of Spring Integration. Its renewal is an option, and costs: the first
 * one begins together with the section, and is interrupted if that is over first.
 */
final class SpringIntegrationAdapter implements LockAdapter {

	// The default; but only the setter gives every key a local lock of its own, or nearly
	// so, instead of 1 of 256.
	private static final int CACHE_CAPACITY = 100_000;

	private final LettuceConnectionFactory factory;

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	private final RedisLockRegistry registry;

	SpringIntegrationAdapter(Target target, RedisLockType type, Duration idle, boolean renew) {
		this.factory = SpringRedis.connectionFactory(target);
		this.scheduler.setDaemon(true);
		this.scheduler.setRemoveOnCancelPolicy(true);
		this.scheduler.initialize();
		this.registry = new RedisLockRegistry(this.factory, "bench", renew ? target.ttl() : target.longTtl());
		this.registry.setCacheCapacity(CACHE_CAPACITY);
		this.registry.setRedisLockType(type);
		this.registry.setIdleBetweenTries(idle);
		if (renew) {
			this.registry.setRenewalTaskScheduler(this.scheduler);
		}
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		Lock lock = this.registry.obtain(key);
		lock.lockInterruptibly();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.scheduler.destroy();
		this.factory.destroy();
	}

}
