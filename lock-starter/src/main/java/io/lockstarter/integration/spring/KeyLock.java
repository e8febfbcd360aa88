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
