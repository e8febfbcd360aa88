// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockedAction;
import io.lockstarter.Permits;

import static io.lockstarter.engine.AcquireOperations.Parking.INTERRUPTIBLY;

/**
 * The registry as one holder sees it: the current thread, or whoever is named. Leases and
 * permits belong to nobody, locks to the holder.
 */
abstract class HolderLockRegistry implements LockRegistry {

	private final HoldCounts holds;

	HolderLockRegistry(HoldCounts holds) {
		this.holds = holds;
	}

	HoldCounts holds() {
		return this.holds;
	}

	/**
	 * Return what acquires.
	 * @throws IllegalStateException if the registry is shut down
	 */
	abstract AcquireOperations operations();

	/**
	 * Complete options.
	 * @throws IllegalArgumentException if the store has no locks of that kind
	 */
	abstract Terms terms(LockOptions options);

	abstract CompletableFuture<StoredLockDetails> inspect(String key);

	@Override
	public LeasedLock obtain(String key, LockOptions options) {
		return lock(List.of(Keys.check(key)), options);
	}

	@Override
	public LeasedLock obtainAll(Collection<String> keys, LockOptions options) {
		return lock(Keys.sorted(keys), options);
	}

	private DefaultLeasedLock lock(List<String> keys, LockOptions options) {
		return new DefaultLeasedLock(this, keys, terms(options));
	}

	@Override
	public Lease acquire(String key, LockOptions options) throws InterruptedException {
		return operations().acquireAll(List.of(Keys.check(key)), terms(options), INTERRUPTIBLY).get(0);
	}

	@Override
	public Optional<Lease> tryAcquire(String key, LockOptions options) throws InterruptedException {
		List<DefaultLease> leases = operations().tryAll(List.of(Keys.check(key)), terms(trying(options)),
				INTERRUPTIBLY);
		return leases.isEmpty() ? Optional.empty() : Optional.of(leases.get(0));
	}

	@Override
	public List<Lease> acquireAll(Collection<String> keys, LockOptions options) throws InterruptedException {
		return List.copyOf(operations().acquireAll(Keys.sorted(keys), terms(options), INTERRUPTIBLY));
	}

	@Override
	public CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
		return Completions.startAsync(() -> operations().acquireAsync(Keys.check(key), terms(options)));
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAllAsync(Collection<String> keys, LockOptions options) {
		return Completions.startAsync(() -> operations().acquireAllAsync(Keys.sorted(keys), terms(options)));
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T call(String key, LockOptions options,
			LockedAction<T, X> action) throws X {
		return call(lock(List.of(Keys.check(key)), options), action);
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T callAll(Collection<String> keys, LockOptions options,
			LockedAction<T, X> action) throws X {
		return call(lock(Keys.sorted(keys), options), action);
	}

	private static <T extends @Nullable Object, X extends Throwable> T call(DefaultLeasedLock lock,
			LockedAction<T, X> action) throws X {
		try {
			lock.acquire();
		}
		catch (InterruptedException ex) {
			throw interrupted(lock, ex);
		}
		return callLocked(lock, action);
	}

	@Override
	public <T, X extends Throwable> Optional<T> tryCall(String key, LockOptions options, LockedAction<T, X> action)
			throws X {
		LockOptions trying = trying(options);
		DefaultLeasedLock lock = lock(List.of(Keys.check(key)), trying);
		try {
			if (!lock.tryLock(terms(trying).waitNanos(), TimeUnit.NANOSECONDS)) {
				return Optional.empty();
			}
		}
		catch (InterruptedException ex) {
			throw interrupted(lock, ex);
		}
		return Optional.of(Objects.requireNonNull(callLocked(lock, action),
				"The action ran and returned null, which would look like a busy key: return another value"));
	}

	private static <T extends @Nullable Object, X extends Throwable> T callLocked(DefaultLeasedLock lock,
			LockedAction<T, X> action) throws X {
		try {
			return LockScope.of(lock.leases()).call(action);
		}
		finally {
			lock.exit();
		}
	}

	private static LockInterruptedException interrupted(LeasedLock lock, InterruptedException cause) {
		Thread.currentThread().interrupt();
		return new LockInterruptedException(lock.key(), cause);
	}

	@Override
	public Permits permits(String key, int limit, LockOptions options) {
		if (options.mode() == LockMode.SHARED) {
			throw new IllegalArgumentException(
					"mode is SHARED, but a permit is one of a limited number: raise the limit");
		}
		return new DefaultPermits(this, new Slots(key, limit), terms(options), terms(trying(options)));
	}

	/**
	 * Return the options of who tries, and so waits only if told to.
	 */
	private static LockOptions trying(LockOptions options) {
		return (options.waitTime() != null) ? options : options.withWaitTime(Duration.ZERO);
	}

}
