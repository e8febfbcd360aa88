// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.Lock;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.scheduling.TaskScheduler;

/**
 * The lock registry of Spring Integration 6.5, that of Spring Boot 3.5, on top of a
 * {@link LockRegistry}. Declare it as a bean: <pre class="code">
 * &#64;Bean
 * LegacyLockStarterLockRegistry integrationLocks(LockRegistry registry) {
 *     return new LegacyLockStarterLockRegistry(registry);
 * }
 * </pre>
 * <p>
 * Its locks are those of {@link LockStarterLockRegistry}, without a ttl of their own:
 * Spring Integration 6.5 does not have that interface. Use the other one from Spring
 * Integration 7 on.
 *
 * @since 0.1
 */
// Without type arguments, as these interfaces take none in Spring Integration 6.5.
@SuppressWarnings("rawtypes")
public final class LegacyLockStarterLockRegistry implements RenewableLockRegistry {

	private final KeyLocks locks;

	/**
	 * Create a registry whose keys are those that it is asked for.
	 * @param registry where the locks are
	 */
	public LegacyLockStarterLockRegistry(LockRegistry registry) {
		this(registry, "", LockOptions.defaults());
	}

	/**
	 * Create a registry.
	 * @param registry where the locks are
	 * @param keyPrefix what to put before all keys, for example {@code integration:}
	 * @param options the ttl, renewal and name of all locks; the wait time is not used
	 */
	public LegacyLockStarterLockRegistry(LockRegistry registry, String keyPrefix, LockOptions options) {
		this.locks = new KeyLocks(registry, keyPrefix, options);
	}

	/**
	 * Return the lock of a key. Nothing is acquired yet.
	 * @param lockKey what to lock: a text, or a number, {@link UUID} or constant, whose
	 * text is the key
	 * @return the lock; equal to all others of the key
	 */
	@Override
	public Lock obtain(Object lockKey) {
		return new KeyLock(this.locks, this.locks.key(lockKey));
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

}
