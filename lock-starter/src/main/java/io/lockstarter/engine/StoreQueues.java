// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Leaves queues of keys at the store, and knows in which this instance may yet stand.
 * Thread-safe.
 */
final class StoreQueues {

	/**
	 * A store forgets who stands in a queue after that.
	 */
	private static final long EXPIRY = TimeUnit.MINUTES.toNanos(10);

	private final StoreClient store;

	private final Timing timing;

	private final Set<String> leaving = ConcurrentHashMap.newKeySet();

	private volatile long inDoubtUntil;

	StoreQueues(StoreClient store, Timing timing) {
		this.store = store;
		this.timing = timing;
	}

	CompletableFuture<?> leave(String key) {
		this.leaving.add(key);
		CompletableFuture<?> left = this.store.leave(key);
		Completions.on(left, (done, failure) -> {
			if (failure != null) {
				this.inDoubtUntil = this.timing.now() + EXPIRY;
			}
			this.leaving.remove(key);
		});
		return left;
	}

	/**
	 * Return whether this instance may stand in the queue of a key that nobody here knew
	 * of before: nobody knows whether it left.
	 */
	boolean mayBeQueued(String key) {
		return this.leaving.contains(key) || this.timing.now() < this.inDoubtUntil;
	}

}
