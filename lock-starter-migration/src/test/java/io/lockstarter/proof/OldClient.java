// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

import io.lockstarter.migration.OldLock;
import io.lockstarter.migration.OldLock.Format;
import io.lockstarter.testkit.RedisServer;

/**
 * An instance of a service that has another lock, with its connections: real libraries,
 * and the recipes as old posts give them.
 */
interface OldClient extends AutoCloseable {

	/**
	 * Lock.
	 * @param name the name of the lock
	 * @param patience how long to wait
	 * @return whether the current thread has it
	 */
	boolean tryLock(String name, Duration patience) throws InterruptedException;

	void unlock(String name);

	@Override
	void close();

	/**
	 * Try a thing again and again, as the recipes do.
	 */
	static boolean spin(Duration patience, Attempt attempt) {
		long start = System.nanoTime();
		do {
			if (attempt.succeeds()) {
				return true;
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
		}
		while (System.nanoTime() - start < patience.toNanos());
		return false;
	}

	/**
	 * One attempt.
	 */
	@FunctionalInterface
	interface Attempt {

		boolean succeeds();

	}

	/**
	 * Kinds of old locks.
	 */
	enum Kind {

		SET_NX(Format.SET_NX, "lock.*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new SetNx(redis, ttl);
			}

		},

		SPRING_INTEGRATION_THAT_SPINS(Format.SPRING_INTEGRATION, "locks:*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new SpringIntegration(redis, ttl, RedisLockType.SPIN_LOCK);
			}

		},

		SPRING_INTEGRATION_THAT_LISTENS(Format.SPRING_INTEGRATION, "locks:*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new SpringIntegration(redis, ttl, RedisLockType.PUB_SUB_LOCK);
			}

		},

		SHEDLOCK(Format.SHEDLOCK, "job-lock:prod:*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new ShedLock(redis, ttl);
			}

		},

		REDISSON(Format.REDISSON, "inventory-lock:*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new RedissonLock(redis, ttl);
			}

		},

		GETSET_MILLIS(Format.GETSET_MILLIS, "lock.*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new GetSet(redis, ttl, 1);
			}

		},

		GETSET_SECONDS(Format.GETSET_SECONDS, "lock.*") {

			@Override
			OldClient start(RedisServer redis, Duration ttl) {
				return new GetSet(redis, ttl, 1000);
			}

		};

		private final Format format;

		private final String key;

		Kind(Format format, String key) {
			this.format = format;
			this.key = key;
		}

		/**
		 * Return the rule for keys that begin with the name of the kind.
		 */
		OldLock rule() {
			return new OldLock(key("*"), this.format, this.key);
		}

		String key(String name) {
			return name().toLowerCase(Locale.ROOT) + "-" + name;
		}

		/**
		 * Start a client.
		 * @param ttl when a lock expires whose holder does not release it
		 */
		abstract OldClient start(RedisServer redis, Duration ttl);

	}

	/**
	 * {@code SET key value NX PX}, released by a script that compares.
	 */
	final class SetNx implements OldClient {

		private static final String RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
				+ "return redis.call('DEL', KEYS[1]) else return 0 end";

		private final Plain plain;

		private final Duration ttl;

		private final Map<String, String> values = new ConcurrentHashMap<>();

		SetNx(RedisServer redis, Duration ttl) {
			this.plain = new Plain(redis);
			this.ttl = ttl;
		}

		@Override
		public boolean tryLock(String name, Duration patience) {
			String value = UUID.randomUUID().toString();
			boolean locked = spin(patience, () -> "OK"
				.equals(this.plain.redis().set("lock." + name, value, SetArgs.Builder.nx().px(this.ttl.toMillis()))));
			if (locked) {
				this.values.put(name, value);
			}
			return locked;
		}

		@Override
		public void unlock(String name) {
			Long deleted = this.plain.redis()
				.eval(RELEASE, ScriptOutputType.INTEGER, new String[] { "lock." + name },
						Objects.requireNonNull(this.values.remove(name)));
			if (deleted != 1) {
				throw new IllegalStateException("The lock was lost");
			}
		}

		@Override
		public void close() {
			this.plain.close();
		}

	}

	/**
	 * {@code SETNX} with a time, and {@code GETSET} once that is over.
	 */
	final class GetSet implements OldClient {

		private final Plain plain;

		private final Duration ttl;

		private final int unit;

		private final Map<String, Long> times = new ConcurrentHashMap<>();

		GetSet(RedisServer redis, Duration ttl, int unit) {
			this.plain = new Plain(redis);
			this.ttl = ttl;
			this.unit = unit;
		}

		@Override
		public boolean tryLock(String name, Duration patience) {
			return spin(patience, () -> attempt(name));
		}

		private boolean attempt(String name) {
			RedisCommands<String, String> redis = this.plain.redis();
			long expires = now() + this.ttl.toMillis() / this.unit + 1;
			if (redis.setnx("lock." + name, Long.toString(expires))) {
				this.times.put(name, expires);
				return true;
			}
			String current = redis.get("lock." + name);
			if (current != null && Long.parseLong(current) < now()) {
				expires = now() + this.ttl.toMillis() / this.unit + 1;
				String before = redis.getset("lock." + name, Long.toString(expires));
				if (before != null && before.equals(current)) {
					this.times.put(name, expires);
					return true;
				}
			}
			return false;
		}

		@Override
		public void unlock(String name) {
			if (now() >= Objects.requireNonNull(this.times.remove(name))) {
				throw new IllegalStateException("The lock was lost");
			}
			this.plain.redis().del("lock." + name);
		}

		private long now() {
			return System.currentTimeMillis() / this.unit;
		}

		@Override
		public void close() {
			this.plain.close();
		}

	}

	/**
	 * Spring Integration.
	 */
	final class SpringIntegration implements OldClient {

		private final LettuceConnectionFactory factory;

		private final RedisLockRegistry registry;

		SpringIntegration(RedisServer redis, Duration ttl, RedisLockType type) {
			this.factory = redis.connectionFactory();
			this.registry = new RedisLockRegistry(this.factory, "locks", ttl);
			this.registry.setRedisLockType(type);
			this.registry.setIdleBetweenTries(Duration.ofMillis(2));
		}

		@Override
		public boolean tryLock(String name, Duration patience) throws InterruptedException {
			return this.registry.obtain(name).tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
		}

		@Override
		public void unlock(String name) {
			Lock lock = this.registry.obtain(name);
			lock.unlock();
		}

		@Override
		public void close() {
			this.registry.destroy();
			this.factory.destroy();
		}

	}

	/**
	 * ShedLock, with its updates made safe.
	 */
	final class ShedLock implements OldClient {

		private final LettuceConnectionFactory factory;

		private final RedisLockProvider provider;

		private final Duration ttl;

		private final Map<String, SimpleLock> locks = new ConcurrentHashMap<>();

		ShedLock(RedisServer redis, Duration ttl) {
			this.factory = redis.connectionFactory();
			this.provider = new RedisLockProvider.Builder(this.factory).environment("prod").safeUpdate(true).build();
			this.ttl = ttl;
		}

		@Override
		public boolean tryLock(String name, Duration patience) {
			return spin(patience, () -> {
				var locked = this.provider.lock(new LockConfiguration(Instant.now(), name, this.ttl, Duration.ZERO));
				locked.ifPresent((lock) -> this.locks.put(name, lock));
				return locked.isPresent();
			});
		}

		@Override
		public void unlock(String name) {
			Objects.requireNonNull(this.locks.remove(name)).unlock();
		}

		@Override
		public void close() {
			this.factory.destroy();
		}

	}

	/**
	 * Redisson.
	 */
	final class RedissonLock implements OldClient {

		private final RedissonClient client;

		private final Duration ttl;

		RedissonLock(RedisServer redis, Duration ttl) {
			Config config = new Config();
			config.setThreads(2).setNettyThreads(2);
			config.useSingleServer()
				.setAddress("redis://%s:%d".formatted(redis.host(), redis.port()))
				.setConnectionMinimumIdleSize(1)
				.setConnectionPoolSize(8);
			this.client = Redisson.create(config);
			this.ttl = ttl;
		}

		@Override
		public boolean tryLock(String name, Duration patience) throws InterruptedException {
			return lock(name).tryLock(patience.toMillis(), this.ttl.toMillis(), TimeUnit.MILLISECONDS);
		}

		@Override
		public void unlock(String name) {
			lock(name).unlock();
		}

		private RLock lock(String name) {
			return this.client.getLock("inventory-lock:" + name);
		}

		@Override
		public void close() {
			this.client.shutdown(0, 1, TimeUnit.SECONDS);
		}

	}

	/**
	 * A connection for the recipes.
	 */
	final class Plain {

		private final RedisClient client;

		private final StatefulRedisConnection<String, String> connection;

		Plain(RedisServer redis) {
			this.client = RedisClient.create(RedisURI.create(redis.host(), redis.port()));
			this.connection = this.client.connect();
		}

		RedisCommands<String, String> redis() {
			return this.connection.sync();
		}

		void close() {
			this.client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}

	}

}
