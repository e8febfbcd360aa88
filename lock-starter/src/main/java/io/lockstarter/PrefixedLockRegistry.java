// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A registry that puts a prefix before each key.
 *
 * @param registry the registry of the whole keys
 * @param prefix what each key begins with
 */
record PrefixedLockRegistry(LockRegistry registry, String prefix) implements LockRegistry {

	@Override
	public LeasedLock obtain(String key, LockOptions options) {
		return this.registry.obtain(whole(key), options);
	}

	@Override
	public LeasedLock obtainAll(Collection<String> keys, LockOptions options) {
		return this.registry.obtainAll(whole(keys), options);
	}

	@Override
	public Lease acquire(String key, LockOptions options) throws InterruptedException {
		return this.registry.acquire(whole(key), options);
	}

	@Override
	public Optional<Lease> tryAcquire(String key, LockOptions options) throws InterruptedException {
		return this.registry.tryAcquire(whole(key), options);
	}

	@Override
	public List<Lease> acquireAll(Collection<String> keys, LockOptions options) throws InterruptedException {
		return this.registry.acquireAll(whole(keys), options);
	}

	@Override
	public CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
		String whole;
		try {
			whole = whole(key);
		}
		catch (IllegalArgumentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return this.registry.acquireAsync(whole, options);
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAllAsync(Collection<String> keys, LockOptions options) {
		Collection<String> whole;
		try {
			whole = whole(keys);
		}
		catch (IllegalArgumentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return this.registry.acquireAllAsync(whole, options);
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T call(String key, LockOptions options,
			LockedAction<T, X> action) throws X {
		return this.registry.call(whole(key), options, action);
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T callAll(Collection<String> keys, LockOptions options,
			LockedAction<T, X> action) throws X {
		return this.registry.callAll(whole(keys), options, action);
	}

	@Override
	public <T, X extends Throwable> Optional<T> tryCall(String key, LockOptions options, LockedAction<T, X> action)
			throws X {
		return this.registry.tryCall(whole(key), options, action);
	}

	@Override
	public Permits permits(String key, int limit, LockOptions options) {
		return this.registry.permits(whole(key), limit, options);
	}

	@Override
	public LockRegistry withHolder(Object holder) {
		return new PrefixedLockRegistry(this.registry.withHolder(holder), this.prefix);
	}

	private String whole(String key) {
		if (key == null || key.isBlank()) {
			throw new IllegalArgumentException("A key must not be blank behind the prefix '%s'".formatted(this.prefix));
		}
		return this.prefix + key;
	}

	private Collection<String> whole(Collection<String> keys) {
		return keys.stream().map(this::whole).toList();
	}

}
