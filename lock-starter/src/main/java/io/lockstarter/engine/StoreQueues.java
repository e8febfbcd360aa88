// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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

	// how often at once, of each key
	private final ConcurrentMap<String, Integer> leaving = new ConcurrentHashMap<>();

	private volatile long inDoubtUntil;

	StoreQueues(StoreClient store, Timing timing) {
		this.store = store;
		this.timing = timing;
	}

	CompletableFuture<?> leave(String key) {
		this.leaving.merge(key, 1, Integer::sum);
		CompletableFuture<?> left = this.store.leave(key);
		Completions.on(left, (done, failure) -> {
			if (failure != null) {
				this.inDoubtUntil = this.timing.now() + EXPIRY;
			}
			this.leaving.computeIfPresent(key, (same, times) -> (times > 1) ? times - 1 : null);
		});
		return left;
	}

	/**
	 * Return whether this instance may stand in the queue of a key that nobody here knew
	 * of before: nobody knows whether it left.
	 */
	boolean mayBeQueued(String key) {
		return this.leaving.containsKey(key) || this.timing.now() < this.inDoubtUntil;
	}

}
