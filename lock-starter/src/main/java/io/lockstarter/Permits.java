// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Permits of a key, so many as its limit: a semaphore across every JVM that shares the
 * same store. At most that many leases are within their deadlines at a time.
 * <p>
 * A permit is a {@link Lease} of one of the numbered slots of the key, whose keys are
 * {@code permit:<key>:0}, {@code permit:<key>:1}, and so on. Each slot is an exclusive
 * lock: it has a ttl, is renewed, and is free again a ttl after its holder died. Its
 * fencing tokens grow with each acquisition of the slot: a resource that checks them
 * compares those of one slot. A permit belongs to nobody's thread, is not reentrant, and
 * is given back once, however often it is closed. Events of leases name the slot; those
 * of callers that wait, or get none, name the key of the permits.
 * <p>
 * All instances should use the same limit. If they do not, as during a rolling deployment
 * that changes it, the largest limit in use is never exceeded.
 * <p>
 * Methods throw what those of {@link LockRegistry} throw. Implementations are
 * thread-safe.
 * <p>
 * Applications do not implement this interface. Methods that are added later have a
 * default, so that whoever does, in a test, still compiles.
 *
 * @since 0.1
 */
public interface Permits {

	/**
	 * The largest limit. Whoever waits does so for each slot.
	 */
	int MAX_LIMIT = 64;

	/**
	 * Return what the permits are of.
	 * @return the key
	 */
	String key();

	/**
	 * Return how many permits there are.
	 * @return the limit, from 1 to {@value #MAX_LIMIT}
	 */
	int limit();

	/**
	 * Acquire a permit, waiting for one up to the wait time. In this JVM those who wait
	 * are served about in the order in which they came.
	 * @return the lease of a slot, to be closed by the caller, on any thread
	 * @throws LockNotAcquiredException if no permit was free for the wait time
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	Lease acquire() throws InterruptedException;

	/**
	 * Acquire a permit, or return empty if none is free. It waits only if the options
	 * have a wait time of their own. The slots are tried one after the other: a permit
	 * that is given back meanwhile may be missed.
	 * @return the lease of a slot, to be closed by the caller, on any thread; or empty
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	Optional<Lease> tryAcquire() throws InterruptedException;

	/**
	 * Acquire a permit without a waiting thread; otherwise like
	 * {@link LockRegistry#acquireAsync(String, LockOptions)}.
	 * @return the future lease of a slot
	 */
	CompletableFuture<Lease> acquireAsync();

	/**
	 * Count the permits that nobody holds and that are not on their way to who waits. The
	 * slots are looked at one after the other, over a connection that is opened for each
	 * look, and others acquire and release meanwhile: this is for people, and no promise.
	 * @return completes with a number from zero to the limit; fails with
	 * {@link UnsupportedOperationException} if the store cannot be inspected, and with
	 * {@link LockStoreException} if it does not answer or the right for it is missing
	 */
	CompletableFuture<Integer> available();

	/**
	 * Run an action with a permit, and give it back in any case. What the action throws
	 * is thrown as it is, also if the lease was lost.
	 * @param action what to run
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action
	 * @throws X if the action does
	 * @throws LockNotAcquiredException if no permit was free for the wait time; the
	 * action did not run
	 * @throws LockInterruptedException if interrupted while waiting; the action did not
	 * run and the interrupt flag is set again
	 */
	default <T extends @Nullable Object, X extends Throwable> T call(LockedAction<T, X> action) throws X {
		Lease permit;
		try {
			permit = acquire();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(key(), ex);
		}
		try (permit) {
			return LockScope.of(List.of(permit)).call(action);
		}
	}

}
