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
package io.lockstarter.integration.spring;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import org.jspecify.annotations.Nullable;

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
 *
 * @since 0.1
 */
public final class LockStarterLockRegistry implements RenewableLockRegistry<DistributedLock> {

	private final LockRegistry registry;

	private final String keyPrefix;

	private final LockOptions options;

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
		this.registry = registry;
		this.keyPrefix = keyPrefix;
		this.options = options;
	}

	/**
	 * Return the lock of a key. Nothing is acquired yet.
	 * @param lockKey what to lock: a text, or a number, {@link UUID} or constant, whose
	 * text is the key
	 * @return the lock; equal to all others of the key
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new KeyLock(this, key(lockKey));
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
		renew(key(lockKey), null);
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
		renew(key(lockKey), ttl);
	}

	/**
	 * Has no effect: the watchdog renews the locks.
	 * @param renewalTaskScheduler not used
	 */
	@Override
	public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
	}

	private void renew(String key, @Nullable Duration ttl) {
		LeasedLock lock = this.registry.obtain(key, this.options);
		if (lock.holdCount() == 0) {
			throw notHeld(key);
		}
		if (!lock.extend((ttl != null) ? ttl : lock.lease().ttl())) {
			throw new IllegalStateException("Lock '%s' was lost, and cannot be renewed".formatted(key));
		}
	}

	private static IllegalStateException notHeld(String key) {
		return new IllegalStateException(
				"Lock '%s' is not held by thread '%s'".formatted(key, Thread.currentThread().getName()));
	}

	private String key(Object lockKey) {
		if (!isText(lockKey)) {
			throw new IllegalArgumentException(
					"A lock key must be a text, a number, a UUID or a constant, as all instances have to agree on it, but is of %s: give its text"
						.formatted((lockKey != null) ? lockKey.getClass() : null));
		}
		return this.keyPrefix + lockKey;
	}

	private static boolean isText(@Nullable Object key) {
		return key instanceof CharSequence || key instanceof Number || key instanceof UUID || key instanceof Enum
				|| key instanceof Boolean || key instanceof Character;
	}

	/**
	 * The lock of a key. It has no state: who holds it is known to the registry.
	 *
	 * @param owner where it is from
	 * @param key its key, with the prefix
	 */
	private record KeyLock(LockStarterLockRegistry owner, String key) implements DistributedLock {

		@Override
		public void lock() {
			leased().lock();
		}

		@Override
		public void lock(Duration ttl) {
			leased(ttl).lock();
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			leased().lockInterruptibly();
		}

		@Override
		public boolean tryLock() {
			return leased().tryLock();
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return leased().tryLock(time, unit);
		}

		@Override
		public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
			return leased(ttl).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
		}

		/**
		 * Release one hold of the current thread.
		 * @throws IllegalStateException if the current thread does not hold the lock
		 * @throws ConcurrentModificationException if the lock was lost
		 */
		@Override
		public void unlock() {
			LeasedLock lock = leased();
			if (lock.holdCount() == 0) {
				throw notHeld(this.key);
			}
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				throw new ConcurrentModificationException(ex.getMessage(), ex);
			}
		}

		@Override
		public Condition newCondition() {
			return leased().newCondition();
		}

		@Override
		public String toString() {
			return leased().toString();
		}

		private LeasedLock leased() {
			return this.owner.registry.obtain(this.key, this.owner.options);
		}

		private LeasedLock leased(Duration ttl) {
			return this.owner.registry.obtain(this.key, this.owner.options.withTtl(ttl));
		}

	}

}
