// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.scheduling.TaskScheduler;

/**
 * The lock registry of Spring Integration on top of a {@link LockRegistry}, for
 * everything that takes one: aggregators, leader initiators, advices, message stores.
 * Declare it as a bean: <pre class="code">
 * &#64;Bean
 * LockStarterLockRegistry integrationLocks(LockRegistry registry) {
 *     return new LockStarterLockRegistry(registry);
 * }
 * </pre>
 * <p>
 * A lock is that of {@link LockRegistry#obtain(String, LockOptions)}: reentrant, bound to
 * its thread, and renewed while it is held, also if it is acquired with a ttl of its own.
 * In this registry and in the other one the same key is the same lock.
 * <p>
 * For Spring Integration 7. {@link LegacyLockStarterLockRegistry} is for 6.5, that of
 * Spring Boot 3.5.
 *
 * @since 0.1
 */
public final class LockStarterLockRegistry implements RenewableLockRegistry<DistributedLock> {

	private final KeyLocks locks;

	/**
	 * Create a registry whose keys are those that it is asked for.
	 * @param registry where the locks are
	 */
	public LockStarterLockRegistry(LockRegistry registry) {
		this(registry, "", LockOptions.defaults());
	}

	/**
	 * Create a registry.
	 * @param registry where the locks are
	 * @param keyPrefix what to put before all keys, for example {@code integration:}
	 * @param options the ttl, renewal and name of all locks; the wait time is not used
	 */
	public LockStarterLockRegistry(LockRegistry registry, String keyPrefix, LockOptions options) {
		this.locks = new KeyLocks(registry, keyPrefix, options);
	}

	/**
	 * Return the lock of a key. Nothing is acquired yet.
	 * @param lockKey what to lock: a text, or a number, {@link UUID} or constant, whose
	 * text is the key
	 * @return the lock; equal to all others of the key
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new TimedKeyLock(this.locks, this.locks.key(lockKey));
	}

	/**
	 * Renew the lock now for its ttl. A lock of this registry is renewed while it is
	 * held, so nobody has to call this; it tells whether the lock is still held.
	 * @param lockKey what is locked
	 * @throws IllegalStateException if the current thread does not hold the lock, or lost
	 * it
	 * @throws io.lockstarter.LockStoreException if the store did not confirm it
	 */
	@Override
	public void renewLock(Object lockKey) {
		this.locks.renew(lockKey, null);
	}

	/**
	 * Renew the lock now, for the given time at least.
	 * @param lockKey what is locked
	 * @param ttl for how long from now; what is left is never shortened
	 * @throws IllegalStateException if the current thread does not hold the lock, or lost
	 * it
	 * @throws io.lockstarter.LockStoreException if the store did not confirm it
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		this.locks.renew(lockKey, ttl);
	}

	/**
	 * Has no effect: the watchdog renews the locks.
	 * @param renewalTaskScheduler not used
	 */
	@Override
	public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
	}

	/**
	 * The lock of a key, which may have a ttl of its own.
	 */
	private static final class TimedKeyLock extends KeyLock implements DistributedLock {

		TimedKeyLock(KeyLocks locks, String key) {
			super(locks, key);
		}

		@Override
		public void lock(Duration ttl) {
			this.locks.leased(this.key, ttl).lock();
		}

		@Override
		public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
			return this.locks.leased(this.key, ttl)
				.tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
		}

	}

}
