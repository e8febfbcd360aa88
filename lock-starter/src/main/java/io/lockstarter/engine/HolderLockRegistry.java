// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockedAction;
import io.lockstarter.Permits;
import org.jspecify.annotations.Nullable;

/**
 * A registry whose locks belong to one holder, on whatever thread.
 *
 * @param registry the registry of all holders
 * @param holds what the holder holds
 */
record HolderLockRegistry(DefaultLockRegistry registry, HoldCounts holds) implements LockRegistry {

	@Override
	public LeasedLock obtain(String key, LockOptions options) {
		return this.registry.obtain(this.holds, key, options);
	}

	@Override
	public LeasedLock obtainAll(Collection<String> keys, LockOptions options) {
		return this.registry.obtainAll(this.holds, keys, options);
	}

	@Override
	public Lease acquire(String key, LockOptions options) throws InterruptedException {
		return this.registry.acquire(key, options);
	}

	@Override
	public List<Lease> acquireAll(Collection<String> keys, LockOptions options) throws InterruptedException {
		return this.registry.acquireAll(keys, options);
	}

	@Override
	public Optional<Lease> tryAcquire(String key, LockOptions options) throws InterruptedException {
		return this.registry.tryAcquire(key, options);
	}

	@Override
	public CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
		return this.registry.acquireAsync(key, options);
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAllAsync(Collection<String> keys, LockOptions options) {
		return this.registry.acquireAllAsync(keys, options);
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T call(String key, LockOptions options,
			LockedAction<T, X> action) throws X {
		return this.registry.call(this.holds, key, options, action);
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T callAll(Collection<String> keys, LockOptions options,
			LockedAction<T, X> action) throws X {
		return this.registry.callAll(this.holds, keys, options, action);
	}

	@Override
	public <T, X extends Throwable> Optional<T> tryCall(String key, LockOptions options, LockedAction<T, X> action)
			throws X {
		return this.registry.tryCall(this.holds, key, options, action);
	}

	@Override
	public Permits permits(String key, int limit, LockOptions options) {
		return this.registry.permits(key, limit, options);
	}

	@Override
	public LockRegistry withHolder(Object holder) {
		return this.registry.withHolder(holder);
	}

}
