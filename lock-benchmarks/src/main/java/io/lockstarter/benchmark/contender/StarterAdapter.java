package io.lockstarter.benchmark.contender;

import java.util.List;
import java.util.UUID;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import io.lockstarter.engine.DefaultLockRegistry;
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

	/**
	 * Connect.
	 * @param target where and how to lock
	 * @param release when a release is done for who releases
	 */
	StarterAdapter(Target target, ReleaseMode release) {
		this.factory = SpringRedis.connectionFactory(target);
		this.store = new RedisLockStore(this.factory, RedisStoreSettings.defaults());
		this.registry = new DefaultLockRegistry("bench-" + UUID.randomUUID(), this.store, RegistrySettings.defaults(),
				List.of());
		this.options = LockOptions.defaults().withTtl(target.ttl()).withRelease(release);
	}

	@Override
	public Held lock(String key) throws InterruptedException {
		LeasedLock lock = this.registry.obtain(key, this.options);
		lock.lockInterruptibly();
		return new HeldLock(lock);
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
