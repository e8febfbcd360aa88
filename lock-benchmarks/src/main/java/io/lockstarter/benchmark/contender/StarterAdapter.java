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
package io.lockstarter.benchmark.contender;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.LockMonitor;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * This project, with its default settings.
 */
final class StarterAdapter implements LockAdapter {

	private final LettuceConnectionFactory factory;

	private final RedisLockStore store;

	private final DefaultLockRegistry registry;

	private final LockOptions options;

	StarterAdapter(Target target) {
		this(target, RedisStoreSettings.defaults(), ReleaseMode.CONFIRMED, List.of());
	}

	/**
	 * Connect.
	 * @param target where and how to lock
	 * @param settings of the store
	 * @param release when a release is done for who releases
	 * @param monitors who is told of everything
	 */
	StarterAdapter(Target target, RedisStoreSettings settings, ReleaseMode release, List<LockMonitor> monitors) {
		this.factory = SpringRedis.connectionFactory(target);
		this.store = new RedisLockStore(this.factory, settings);
		this.registry = new DefaultLockRegistry("bench-" + UUID.randomUUID(), this.store, RegistrySettings.defaults(),
				List.of(), monitors);
		this.options = LockOptions.defaults().withTtl(target.ttl()).withRelease(release);
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		LeasedLock lock = this.registry.obtain(key, this.options);
		lock.lockInterruptibly();
		return new HeldLock(lock);
	}

	@Override
	public boolean tryOnce(String key) throws InterruptedException {
		Optional<Lease> lease = this.registry.tryAcquire(key, this.options.withWaitTime(Duration.ZERO));
		lease.ifPresent(Lease::close);
		return lease.isPresent();
	}

	@Override
	public CompletableFuture<?> ask(String key) {
		CompletableFuture<Lease> request = this.registry.acquireAsync(key, this.options);
		var unused = request.thenCompose(Lease::release);
		return request;
	}

	@Override
	public void close() {
		this.registry.stop();
		this.store.close();
		this.factory.destroy();
	}

	private record HeldLock(LeasedLock lock) implements Held {

		@Override
		public void unlock() {
			this.lock.unlock();
		}

		@Override
		public long fencingToken() {
			return this.lock.lease().fencingToken();
		}

	}

}
