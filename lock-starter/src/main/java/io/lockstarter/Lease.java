// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Lease of a key: one successful acquisition. A lease may be used and closed by any
 * thread.
 * <p>
 * It is <em>held</em> up to its deadline by this JVM's monotonic clock: the time just
 * before the last successful acquire or renew command was sent, plus the ttl, less a
 * drift margin. Once a lease was reported lost it never becomes valid again.
 * <p>
 * A lease that is not closed is renewed until the JVM ends, even if nothing refers to it
 * any more, unless {@link LockOptions#withMaxHold} limits that.
 * <p>
 * Applications do not implement this interface. Methods that are added later have a
 * default, so that whoever does, in a test, still compiles.
 *
 * @since 0.1
 */
public interface Lease extends LeaseInfo, AutoCloseable {

	/**
	 * Check that the lease is held, for example right before a commit. Does no I/O.
	 * @throws LockLostException if the lease was lost
	 * @throws IllegalStateException if the lease was closed
	 */
	void checkValid();

	/**
	 * Run an action once if the lease is lost; at once if it was lost already. The action
	 * runs on a thread of the registry, maybe at the same time as other actions and
	 * listeners, and should be short.
	 * @param action what to run
	 * @return takes the action back, which a lease otherwise keeps for as long as it
	 * lasts
	 */
	Registration onLost(Consumer<LossCause> action);

	/**
	 * Renew the lease now, so that it is held for the given time from now at least, even
	 * if the store cannot be reached meanwhile. If the holder dies, the lock stays for
	 * that long. The time is never shortened, the watchdog goes on as before, and
	 * {@link LockOptions#maxHold() maxHold} limits the watchdog alone. Waits for the
	 * answer of the store, for the command timeout at most; an interrupt does not end
	 * that.
	 * @param ttl for how long from now, with the limits of {@link LockOptions#ttl()}
	 * @return {@code true} if the store confirmed it; {@code false} once the lease is
	 * lost or closed
	 * @throws LockStoreException if the store did not confirm it: the lease is held for
	 * as long as before at least, and the lock may stay for the given time if the holder
	 * dies
	 */
	boolean extend(Duration ttl);

	/**
	 * Renew the lease like {@link #extend}, without a thread that waits.
	 * @param ttl for how long from now
	 * @return completes like {@link #extend}; dependent actions run where those of
	 * {@link LockRegistry#acquireAsync} do
	 */
	CompletableFuture<Boolean> extendAsync(Duration ttl);

	/**
	 * Let the lock stay for the given time from now at least, like
	 * {@link LockOptions#withMinHold}, in place of the minimum hold up to now. Does no
	 * I/O, and nothing once the lease is closed or lost.
	 * @param minHold how long the lock stays, counted from now; zero if a release is to
	 * free it at once
	 * @throws IllegalArgumentException if the lock is shared, or if that is longer than
	 * the store allows
	 */
	void holdAtLeast(Duration minHold);

	/**
	 * Release the lease, if it is held, without waiting for the store to confirm it.
	 * Locally the key is free when this method returns. Whoever drops the result misses a
	 * failure, which only the {@link LockListener listeners} are told of then.
	 * @return completes with {@code true} when the release is confirmed, with
	 * {@code false} when the lease was lost before or closed already, and fails with
	 * {@link LockStoreException} when the store did not confirm; the release is then
	 * retried in the background until the ttl has passed
	 */
	CompletableFuture<Boolean> releaseAsync();

	/**
	 * Release the lease and, unless its {@link ReleaseMode} is asynchronous, wait for the
	 * answer of the store, for the command timeout at most. Closing again has no effect.
	 * A lost lease and a release that is not confirmed are reported to the
	 * {@link LockListener listeners}. Neither is thrown here, where it would replace the
	 * outcome of the protected section.
	 */
	@Override
	void close();

	/**
	 * Release the lease like {@link #close()}, without a thread that waits.
	 * @return completes when {@link #close()} would return, and never fails; dependent
	 * actions run where those of {@link LockRegistry#acquireAsync} do
	 */
	default CompletableFuture<Void> closeAsync() {
		return releaseAsync().handle((held, failure) -> null);
	}

	/**
	 * An action that is to run if the lease is lost.
	 */
	@FunctionalInterface
	interface Registration extends AutoCloseable {

		/**
		 * Take the action back, unless it runs already. May be called on any thread, and
		 * more than once.
		 */
		@Override
		void close();

	}

}
