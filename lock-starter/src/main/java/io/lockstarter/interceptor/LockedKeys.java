// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.interceptor.key.LockKeys;
import io.lockstarter.interceptor.transaction.Hold;

/**
 * {@link LeaseSource} that acquires the keys of the call.
 */
record LockedKeys(Supplier<? extends LockRegistry> registry, LockKeys keys,
		LockOptions options) implements LeaseSource {

	@Override
	public Hold acquire(LockCall call) throws InterruptedException {
		LeasedLock lock = lock(this.keys.of(call.target(), call.arguments()));
		try {
			lock.acquire();
		}
		catch (InterruptedException ex) {
			throw call.interrupted(lock.key(), ex);
		}
		return Hold.of(lock);
	}

	private LeasedLock lock(Collection<String> keys) {
		LockRegistry registry = this.registry.get();
		return (keys.size() == 1) ? registry.obtain(keys.iterator().next(), this.options)
				: registry.obtainAll(keys, this.options);
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAsync(LockCall call) {
		return this.registry.get().acquireAllAsync(this.keys.of(call.target(), call.arguments()), this.options);
	}

}
