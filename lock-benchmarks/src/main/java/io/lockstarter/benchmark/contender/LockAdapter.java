// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.contender;

import java.util.concurrent.CompletableFuture;

/**
 * A lock to be measured, as one instance of a service would use it. Thread-safe.
 */
public interface LockAdapter extends AutoCloseable {

	/**
	 * Acquire the lock of a key, waiting as long as it takes.
	 * @param key what to lock
	 * @return the lock, held by the current thread
	 * @throws InterruptedException if interrupted while waiting
	 */
	Held lock(String key) throws InterruptedException;

	/**
	 * Try once, and release what was acquired.
	 * @param key what to lock
	 * @return whether it was free
	 * @throws InterruptedException if interrupted
	 */
	default boolean tryOnce(String key) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	/**
	 * Ask for a lock without waiting for it.
	 * @param key what to lock
	 * @return completes with the lock; to be cancelled by who gives up
	 */
	default CompletableFuture<?> ask(String key) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Acquire a permit of a key, waiting as long as it takes.
	 * @param key what the permits are of
	 * @param limit how many there are
	 * @return the permit
	 * @throws InterruptedException if interrupted while waiting
	 */
	default Held permit(String key, int limit) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	/**
	 * Acquire the read lock of a key, waiting as long as it takes.
	 * @param key what to lock
	 * @return the lock, held by the current thread and maybe by others
	 * @throws InterruptedException if interrupted while waiting
	 */
	default Held read(String key) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	/**
	 * Acquire the write lock of a key, waiting as long as it takes.
	 * @param key what to lock
	 * @return the lock, held by the current thread alone
	 * @throws InterruptedException if interrupted while waiting
	 */
	default Held write(String key) throws InterruptedException {
		throw new UnsupportedOperationException();
	}

	/**
	 * Close all connections.
	 */
	@Override
	void close();

	/**
	 * A lock that is held.
	 */
	@FunctionalInterface
	interface Held {

		/**
		 * Release the lock, on the thread that acquired it.
		 */
		void unlock();

		/**
		 * Return the fencing token.
		 * @return the token; zero if the lock has none
		 */
		default long fencingToken() {
			return 0;
		}

		/**
		 * Return whether others may hold the lock at the same time.
		 * @return whether this is a read lock
		 */
		default boolean isShared() {
			return false;
		}

	}

}
