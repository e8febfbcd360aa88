// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Releases orphans: what an owner id may hold at the store, or may yet acquire, although
 * nobody here has a lease of it. A release is repeated until its outcome is certain, or
 * until the ttl has passed since the store first answered: it may still execute an
 * acquire command that was given up. If the store was not reached, the release is also
 * repeated as soon as the store answers anything.
 */
final class OrphanCleaner {

	private static final Log logger = LogFactory.getLog(OrphanCleaner.class);

	private static final long FIRST_DELAY = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONG_DELAY = TimeUnit.SECONDS.toNanos(1);

	/**
	 * While the store is not reached: its first answer repeats what is left in any case.
	 */
	private static final long UNREACHED_DELAY = TimeUnit.MINUTES.toNanos(1);

	private static final long LONGEST_OUTAGE = TimeUnit.MINUTES.toNanos(10);

	private final StoreClient store;

	private final Timing timing;

	// by the order in which they were left
	private final Map<Long, Orphan> unreached = new ConcurrentSkipListMap<>();

	private final AtomicLong lastOrphan = new AtomicLong();

	OrphanCleaner(StoreClient store, Timing timing) {
		this.store = store;
		this.timing = timing;
	}

	/**
	 * Release what an owner id may hold.
	 * @param acquireMayFollow whether the store may yet execute an acquire command, so
	 * that the answer "not held" is not certain
	 */
	void release(String key, String ownerId, Duration ttl, boolean acquireMayFollow) {
		new Orphan(key, ownerId, ttl.toNanos(), acquireMayFollow).release(false);
	}

	void storeAnswered() {
		if (!this.unreached.isEmpty()) {
			this.timing.watchdog().schedule(() -> this.unreached.values().forEach(Orphan::retryEarly), 0);
		}
	}

	/**
	 * An owner id without a lease. One release at a time is in flight, or waits for its
	 * next retry.
	 */
	private final class Orphan {

		private final long number = OrphanCleaner.this.lastOrphan.incrementAndGet();

		private final String key;

		private final String ownerId;

		private final long ttl;

		private final boolean acquireMayFollow;

		private final AtomicBoolean waiting = new AtomicBoolean();

		private volatile Runnable cancellation = () -> {
		};

		private volatile long until;

		private volatile boolean reached;

		private volatile long delay = FIRST_DELAY;

		Orphan(String key, String ownerId, long ttl, boolean acquireMayFollow) {
			this.key = key;
			this.ownerId = ownerId;
			this.ttl = ttl;
			this.acquireMayFollow = acquireMayFollow;
			this.until = Ticker.plus(OrphanCleaner.this.timing.now(),
					acquireMayFollow ? Math.max(ttl, LONGEST_OUTAGE) : ttl);
		}

		void release(boolean early) {
			Completions.on(OrphanCleaner.this.store.release(this.key, this.ownerId),
					(held, failure) -> answered(held, failure != null && !early));
		}

		/**
		 * The first answer shows that the store is there: what was sent to it before is
		 * executed soon, if ever.
		 */
		private void answered(@Nullable Boolean held, boolean alsoWhenReached) {
			long now = OrphanCleaner.this.timing.now();
			boolean certain = held != null && (held || !this.acquireMayFollow);
			if (held != null && !this.reached) {
				this.reached = true;
				this.until = Ticker.plus(now, this.ttl);
				this.delay = FIRST_DELAY;
			}
			if (!certain && now < this.until) {
				retryLater(alsoWhenReached);
			}
		}

		/**
		 * Retry after the delay, or once earlier: a store that answers may still refuse
		 * the release.
		 */
		private void retryLater(boolean alsoWhenReached) {
			this.waiting.set(true);
			boolean scheduled = schedule();
			if (alsoWhenReached || !scheduled) {
				OrphanCleaner.this.unreached.put(this.number, this);
				if (!this.waiting.get()) {
					OrphanCleaner.this.unreached.remove(this.number);
				}
			}
		}

		private boolean schedule() {
			try {
				this.cancellation = OrphanCleaner.this.timing.watchdog().schedule(this::retry, this.delay);
				return true;
			}
			catch (RuntimeException | Error ex) {
				logger.error("The release of a lock that nobody holds cannot be repeated before the store answers", ex);
				return false;
			}
		}

		private void retry() {
			if (endWait()) {
				long longest = this.reached ? longestDelay() : Math.max(longestDelay(), UNREACHED_DELAY);
				this.delay = Math.min(2 * this.delay, longest);
				release(false);
			}
		}

		private void retryEarly() {
			if (endWait()) {
				this.cancellation.run();
				this.delay = Math.min(this.delay, longestDelay());
				release(true);
			}
		}

		private boolean endWait() {
			boolean first = this.waiting.compareAndSet(true, false);
			OrphanCleaner.this.unreached.remove(this.number);
			return first;
		}

		private long longestDelay() {
			return Math.max(LONG_DELAY, this.ttl / 4);
		}

	}

}
