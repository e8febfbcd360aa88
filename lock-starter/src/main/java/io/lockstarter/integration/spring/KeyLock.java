// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a key. It has no state: who holds it is known to the registry.
 */
class KeyLock implements Lock {

	final KeyLocks locks;

	final String key;

	KeyLock(KeyLocks locks, String key) {
		this.locks = locks;
		this.key = key;
	}

	@Override
	public void lock() {
		leased().lock();
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

	/**
	 * Release one hold of the current thread.
	 * @throws IllegalStateException if the current thread does not hold the lock
	 * @throws ConcurrentModificationException if the lock was lost
	 */
	@Override
	public void unlock() {
		LeasedLock lock = leased();
		if (lock.holdCount() == 0) {
			throw KeyLocks.notHeld(this.key);
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
	public boolean equals(@Nullable Object other) {
		return other instanceof KeyLock lock && this.locks == lock.locks && this.key.equals(lock.key);
	}

	@Override
	public int hashCode() {
		return this.key.hashCode();
	}

	@Override
	public String toString() {
		return leased().toString();
	}

	private LeasedLock leased() {
		return this.locks.leased(this.key);
	}

}
