// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

/**
 * Registry of distributed locks, which exclude each other across every JVM that shares
 * the same store.
 * <p>
 * If a key is busy, {@code acquire} and {@code call} wait and then throw;
 * {@code tryAcquire} and {@code tryCall} return empty, at once unless told to wait.
 * Leases are neither bound to a thread nor reentrant; {@link #obtain locks} and
 * {@link #call call} are both. All acquirers of a key in one JVM stand in one queue,
 * first in, first out.
 * <p>
 * Every method throws {@link IllegalArgumentException} for a key that cannot be used,
 * before any I/O; the future of an asynchronous one fails with what others throw. Methods
 * that acquire throw {@link IllegalStateException} once the registry is shut down, also
 * to those who wait at that time, and {@link LockStoreException} if the store rejects a
 * command or does not answer in time. Implementations are thread-safe.
 * <p>
 * Applications do not implement this interface. Methods that are added later have a
 * default, so that whoever does, in a test, still compiles.
 *
 * @since 0.1
 */
public interface LockRegistry {

	/**
	 * Return the thread-bound, reentrant lock of a key. Nothing is acquired yet; all
	 * locks obtained for one key are views of the same lock.
	 * @param key what to lock, for example {@code stock:42}
	 * @param options ttl, wait time (of {@link LeasedLock#acquire()}) and renewal
	 * @return the lock
	 */
	LeasedLock obtain(String key, LockOptions options);

	/**
	 * Return the lock of a key with the default options.
	 * @param key what to lock
	 * @return the lock
	 */
	default LeasedLock obtain(String key) {
		return obtain(key, LockOptions.defaults());
	}

	/**
	 * Return the read/write lock of a key. Its write lock is the lock of {@link #obtain},
	 * its read lock the same in {@link LockMode#SHARED}.
	 * @param key what to lock
	 * @param options ttl, wait time (of {@link LeasedLock#acquire()}) and renewal of both
	 * @return the lock
	 * @throws IllegalArgumentException if the options have a minimum hold, or if the lock
	 * store has exclusive locks only, as one with a migration of old locks has
	 */
	default LeasedReadWriteLock obtainReadWrite(String key, LockOptions options) {
		return new LeasedReadWriteLock(obtain(key, options.withMode(LockMode.SHARED)),
				obtain(key, options.withMode(LockMode.EXCLUSIVE)));
	}

	/**
	 * Return the read/write lock of a key with the default options.
	 * @param key what to lock
	 * @return the lock
	 * @throws IllegalArgumentException if the lock store has exclusive locks only
	 */
	default LeasedReadWriteLock obtainReadWrite(String key) {
		return obtainReadWrite(key, LockOptions.defaults());
	}

	/**
	 * Return the thread-bound, reentrant lock of several keys at once. It is held when
	 * all of them are, and nothing stays acquired when one is not. All callers take the
	 * keys in the same order, so two locks with keys in common do not wait for each
	 * other.
	 * @param keys what to lock, one at least and 1,000 at most; their order and
	 * repetitions do not matter
	 * @param options ttl, wait time (of {@link LeasedLock#acquire()}) and renewal
	 * @return the lock
	 */
	LeasedLock obtainAll(Collection<String> keys, LockOptions options);

	/**
	 * Acquire a lease, waiting up to the wait time of the options.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @return the lease, to be closed by the caller, on any thread
	 * @throws LockNotAcquiredException if the key stayed busy for the wait time
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	Lease acquire(String key, LockOptions options) throws InterruptedException;

	/**
	 * Acquire a lease like {@link #acquire(String, LockOptions)}, with the default
	 * options.
	 * @param key what to lock
	 * @return the lease, to be closed by the caller, on any thread
	 * @throws LockNotAcquiredException if the key stayed busy for the wait time
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	default Lease acquire(String key) throws InterruptedException {
		return acquire(key, LockOptions.defaults());
	}

	/**
	 * Acquire leases of several keys, all or none, waiting up to the wait time of the
	 * options.
	 * @param keys what to lock, one at least and 1,000 at most; their order and
	 * repetitions do not matter
	 * @param options ttl, wait time and renewal
	 * @return the leases, in the order of their keys, each to be closed by the caller, on
	 * any thread
	 * @throws LockNotAcquiredException if a key stayed busy for the wait time
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	List<Lease> acquireAll(Collection<String> keys, LockOptions options) throws InterruptedException;

	/**
	 * Acquire a lease, or return empty if the key is busy. It tries once, unless the
	 * options have a wait time of their own: that of the registry does not count here.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @return the lease, to be closed by the caller, on any thread; or empty
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	Optional<Lease> tryAcquire(String key, LockOptions options) throws InterruptedException;

	/**
	 * Acquire a lease without waiting for a busy key, with the default options.
	 * @param key what to lock
	 * @return the lease, to be closed by the caller, on any thread; or empty
	 * @throws InterruptedException if interrupted; nothing stays acquired
	 */
	default Optional<Lease> tryAcquire(String key) throws InterruptedException {
		return tryAcquire(key, LockOptions.defaults());
	}

	/**
	 * Acquire a lease without a waiting thread. The future fails with
	 * {@link LockNotAcquiredException} if the key stayed busy. Whoever cancels it, or
	 * completes it otherwise, gives up the attempt, and nothing stays acquired. Nothing
	 * is thrown: the future has every failure, also that of a key that cannot be used.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @return the future lease; dependent actions run on threads of the registry, never
	 * on an I/O thread of the store, and those that block should be given an executor of
	 * their own
	 */
	CompletableFuture<Lease> acquireAsync(String key, LockOptions options);

	/**
	 * Acquire a lease like {@link #acquireAsync(String, LockOptions)}, with the default
	 * options.
	 * @param key what to lock
	 * @return the future lease
	 */
	default CompletableFuture<Lease> acquireAsync(String key) {
		return acquireAsync(key, LockOptions.defaults());
	}

	/**
	 * Acquire a lease without a waiting thread; the future has empty if the key is busy.
	 * It tries once, unless the options have a wait time of their own: that of the
	 * registry does not count here. Otherwise like
	 * {@link #acquireAsync(String, LockOptions)}.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @return the future lease, to be closed by the caller, on any thread; or empty
	 */
	default CompletableFuture<Optional<Lease>> tryAcquireAsync(String key, LockOptions options) {
		CompletableFuture<Lease> acquired = acquireAsync(key,
				(options.waitTime() != null) ? options : options.withWaitTime(Duration.ZERO));
		CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
		var unused = acquired.whenComplete((lease, failure) -> {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			if (cause instanceof LockNotAcquiredException) {
				result.complete(Optional.empty());
			}
			else if (failure != null) {
				result.completeExceptionally((cause != null) ? cause : failure);
			}
			else if (!result.complete(Optional.of(lease))) {
				var unusedRelease = lease.closeAsync();
			}
		});
		// Without effect if it was completed with what was acquired.
		var unusedEnd = result.whenComplete((lease, failure) -> acquired.cancel(false));
		return result;
	}

	/**
	 * Try to acquire a lease like {@link #tryAcquireAsync(String, LockOptions)}, with the
	 * default options.
	 * @param key what to lock
	 * @return the future lease; or empty
	 */
	default CompletableFuture<Optional<Lease>> tryAcquireAsync(String key) {
		return tryAcquireAsync(key, LockOptions.defaults());
	}

	/**
	 * Acquire leases of several keys, all or none, without a waiting thread; otherwise
	 * like {@link #acquireAsync(String, LockOptions)}.
	 * @param keys what to lock, one at least and 1,000 at most; their order and
	 * repetitions do not matter
	 * @param options ttl, wait time and renewal
	 * @return the future leases, in the order of their keys
	 */
	CompletableFuture<List<Lease>> acquireAllAsync(Collection<String> keys, LockOptions options);

	/**
	 * Run an action under the {@link #obtain lock} of a key, and release it in any case.
	 * What the action throws is thrown as it is, also if the lease was lost.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @param action what to run
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action
	 * @throws X if the action does
	 * @throws LockNotAcquiredException if the key stayed busy; the action did not run
	 * @throws LockInterruptedException if interrupted while waiting; the action did not
	 * run and the interrupt flag is set again
	 */
	default <T extends @Nullable Object, X extends Throwable> T call(String key, LockOptions options,
			LockedAction<T, X> action) throws X {
		return callAll(List.of(key), options, action);
	}

	/**
	 * Run an action like {@link #call(String, LockOptions, LockedAction)}, with the
	 * default options.
	 * @param key what to lock
	 * @param action what to run
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action
	 * @throws X if the action does
	 */
	default <T extends @Nullable Object, X extends Throwable> T call(String key, LockedAction<T, X> action) throws X {
		return call(key, LockOptions.defaults(), action);
	}

	/**
	 * Run an action under the {@link #obtainAll lock} of several keys, otherwise like
	 * {@link #call(String, LockOptions, LockedAction)}.
	 * @param keys what to lock, one at least and 1,000 at most; their order and
	 * repetitions do not matter
	 * @param options ttl, wait time and renewal
	 * @param action what to run
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action
	 * @throws X if the action does
	 */
	<T extends @Nullable Object, X extends Throwable> T callAll(Collection<String> keys, LockOptions options,
			LockedAction<T, X> action) throws X;

	/**
	 * Run an action under the lock of a key, or return empty if the key is busy. It tries
	 * once, unless the options have a wait time of their own.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @param action what to run; its result must not be {@code null}
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action; empty if it did not run
	 * @throws X if the action does
	 * @throws NullPointerException if its result is {@code null}
	 * @throws LockInterruptedException if interrupted while waiting; the action did not
	 * run and the interrupt flag is set again
	 */
	<T, X extends Throwable> Optional<T> tryCall(String key, LockOptions options, LockedAction<T, X> action) throws X;

	/**
	 * Run a task like {@link #call(String, LockOptions, LockedAction)} does an action.
	 * @param key what to lock
	 * @param options ttl, wait time and renewal
	 * @param task what to run
	 * @param <X> what the task may throw
	 * @throws X if the task does
	 */
	default <X extends Throwable> void run(String key, LockOptions options, LockedTask<X> task) throws X {
		var unused = this.<Boolean, X>call(key, options, (scope) -> {
			task.run(scope);
			return true;
		});
	}

	/**
	 * Run a task like {@link #run(String, LockOptions, LockedTask)}, with the default
	 * options.
	 * @param key what to lock
	 * @param task what to run
	 * @param <X> what the task may throw
	 * @throws X if the task does
	 */
	default <X extends Throwable> void run(String key, LockedTask<X> task) throws X {
		run(key, LockOptions.defaults(), task);
	}

	/**
	 * Return the permits of a key, of which so many are held at the same time as the
	 * limit says, across all instances. Nothing is acquired yet.
	 * @param key what the permits are of, for example {@code checkout}; it has nothing to
	 * do with the lock of the same key
	 * @param limit how many permits there are, from 1 to {@value Permits#MAX_LIMIT}
	 * @param options ttl, wait time and renewal of each permit
	 * @return the permits
	 * @throws IllegalArgumentException if the limit is out of range
	 * @throws UnsupportedOperationException if this registry has no permits
	 */
	default Permits permits(String key, int limit, LockOptions options) {
		throw new UnsupportedOperationException(getClass().getName() + " has no permits");
	}

	/**
	 * Return the permits of a key like {@link #permits(String, int, LockOptions)}, with
	 * the default options.
	 * @param key what the permits are of
	 * @param limit how many permits there are
	 * @return the permits
	 */
	default Permits permits(String key, int limit) {
		return permits(key, limit, LockOptions.defaults());
	}

	/**
	 * Return a view of this registry that puts a prefix before each key, so that parts of
	 * an application can choose their keys independently. Leases, events, metrics and
	 * messages show the whole key.
	 * @param prefix what each key begins with, for example {@code orders:}
	 * @return the view, which shares everything else with this registry
	 */
	default LockRegistry withPrefix(String prefix) {
		if (prefix == null || prefix.isBlank()) {
			throw new IllegalArgumentException("The prefix must not be blank: use the registry itself without one");
		}
		return new PrefixedLockRegistry(this, prefix);
	}

	/**
	 * Return a view of this registry whose {@link #obtain locks} belong to a holder in
	 * place of the current thread: a saga, a message or a coroutine, which goes on on
	 * another thread. The holder may release them on any thread, and a nested acquisition
	 * by it is counted. A holder must not acquire the same key on two threads at the same
	 * time. Leases, which belong to nobody's thread, are not affected.
	 * @param holder identifies the holder, by {@code equals} and {@code hashCode}, in
	 * this instance
	 * @return the view, which shares everything else with this registry
	 * @throws UnsupportedOperationException if this registry binds locks to threads only
	 */
	default LockRegistry withHolder(Object holder) {
		throw new UnsupportedOperationException(getClass().getName() + " binds locks to threads only");
	}

}
