// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.lockstarter.platform.Ticker;

import org.jspecify.annotations.Nullable;

/**
 * Leaves queues of keys at the store, and knows in which this instance may yet stand.
 * What failed is repeated, unless somebody here uses the key by then, who leaves its
 * queue himself. Thread-safe.
 */
final class StoreQueues {

	/**
	 * A store forgets who stands in a queue after that.
	 */
	private static final long EXPIRY = TimeUnit.MINUTES.toNanos(10);

	private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);

	private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

	private final StoreClient store;

	private final Timing timing;

	private final Set<String> used;

	private final Sweeper repetitions;

	// how often at once, of each key
	private final ConcurrentMap<String, Integer> leaving = new ConcurrentHashMap<>();

	// up to when this instance may stand there although it left
	private final ConcurrentMap<String, Long> inDoubt = new ConcurrentHashMap<>();

	private volatile long pause = FIRST_PAUSE;

	/**
	 * Create an instance that knows of no queue.
	 * @param used the keys that somebody here uses
	 */
	StoreQueues(StoreClient store, Timing timing, Set<String> used) {
		this.store = store;
		this.timing = timing;
		this.used = used;
		this.repetitions = new Sweeper(timing.watchdog(), this::repeat, FIRST_PAUSE);
	}

	CompletableFuture<?> leave(String key) {
		return leave(key, this.timing.now() + EXPIRY);
	}

	private CompletableFuture<?> leave(String key, long until) {
		this.leaving.merge(key, 1, Integer::sum);
		CompletableFuture<?> left = this.store.leave(key);
		try {
			Completions.on(left, (done, failure) -> left(key, until, failure));
		}
		catch (RuntimeException | Error ex) {
			left(key, until, ex);
		}
		return left;
	}

	private void left(String key, long until, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				this.inDoubt.merge(key, until, Math::max);
				this.repetitions.noLaterThan(this.timing.now() + this.pause);
			}
			else {
				this.inDoubt.remove(key);
				this.pause = FIRST_PAUSE;
			}
		}
		finally {
			this.leaving.computeIfPresent(key, (same, times) -> (times > 1) ? times - 1 : null);
		}
	}

	/**
	 * Return whether this instance may stand in the queue of a key that nobody here knew
	 * of before: nobody knows whether it left.
	 */
	boolean mayBeQueued(String key) {
		Long until = this.inDoubt.get(key);
		return this.leaving.containsKey(key) || (until != null && this.timing.now() < until);
	}

	/**
	 * Leave what is in doubt. Who comes for such a key at this very moment may lose his
	 * place with that, and asks again at his next poll.
	 */
	private long repeat(long now) {
		this.inDoubt.values().removeIf((until) -> until <= now);
		if (this.inDoubt.isEmpty()) {
			return Ticker.NEVER;
		}
		this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
		this.inDoubt.forEach((key, until) -> {
			if (!this.leaving.containsKey(key) && !this.used.contains(key)) {
				var unused = leave(key, until);
			}
		});
		return now + this.pause;
	}

}
