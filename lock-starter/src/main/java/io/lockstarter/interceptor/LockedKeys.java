// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.interceptor.key.LockKeys;
import io.lockstarter.interceptor.transaction.Hold;

/**
 * {@link LeaseSource} that acquires the keys of the call.
 */
record LockedKeys(LockServices services, LockKeys keys, LockOptions options) implements LeaseSource {

	@Override
	public Hold acquire(LockCall call) throws InterruptedException {
		LockRegistry registry = this.services.registry();
		LeasedLock lock = lock(registry, this.keys.of(call.target(), call.arguments()));
		try {
			lock.acquire();
		}
		catch (InterruptedException ex) {
			throw call.interrupted(lock.key(), ex);
		}
		return Hold.of(lock, (lease) -> isOutermost(registry, lease.key()));
	}

	/**
	 * Return whether a key that was just entered was not held before. Who shares it may
	 * have it alone, too.
	 */
	private boolean isOutermost(LockRegistry registry, String key) {
		return registry.obtain(key, this.options).holdCount() == 1 && (this.options.mode() == LockMode.EXCLUSIVE
				|| registry.obtain(key, this.options.withMode(LockMode.EXCLUSIVE)).holdCount() == 0);
	}

	private LeasedLock lock(LockRegistry registry, Collection<String> keys) {
		return (keys.size() == 1) ? LeaseSource.stubbed(registry.obtain(keys.iterator().next(), this.options), "obtain")
				: LeaseSource.stubbed(registry.obtainAll(keys, this.options), "obtainAll");
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAsync(LockCall call) {
		return LeaseSource.stubbed(
				this.services.registry().acquireAllAsync(this.keys.of(call.target(), call.arguments()), this.options),
				"acquireAllAsync");
	}

}
