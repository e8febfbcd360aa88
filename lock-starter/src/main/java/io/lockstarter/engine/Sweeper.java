// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;

import io.lockstarter.platform.Ticker;
import io.lockstarter.platform.Timer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks at everything that has a due time when the earliest one comes, instead of keeping
 * a timer for each. What is added in the steady state is due later than what the next
 * sweep waits for already, so adding costs one volatile read. With many things a sweep
 * takes a while itself: there is a pause between two of them, and what comes due in it
 * waits for that long.
 */
final class Sweeper {

	private static final Log logger = LogFactory.getLog(Sweeper.class);

	private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);

	private final Timer timer;

	private final LongUnaryOperator sweep;

	private final long pause;

	// no monitor, which would pin a virtual thread
	private final ReentrantLock mutex = new ReentrantLock();

	private volatile long next = Ticker.NEVER;

	private volatile long notBefore;

	private @Nullable Runnable cancellation;

	Sweeper(Timer timer, LongUnaryOperator sweep, long pause) {
		this.timer = timer;
		this.sweep = sweep;
		this.pause = pause;
	}

	/**
	 * Sweep at the given instant at the latest, or after the pause. Whatever is due then
	 * must be visible to a sweep before this is called.
	 */
	void noLaterThan(long instant) {
		long due = Math.max(instant, this.notBefore);
		if (due < this.next) {
			scheduleAt(due);
		}
	}

	private void scheduleAt(long instant) {
		this.mutex.lock();
		try {
			if (instant < this.next) {
				if (this.cancellation != null) {
					this.cancellation.run();
				}
				this.cancellation = this.timer.schedule(this::sweep, Math.max(0, instant - this.timer.nanoTime()));
				this.next = instant;
			}
		}
		catch (RuntimeException | Error ex) {
			// For want of a thread, perhaps. Whatever is due next tries again.
			this.next = Ticker.NEVER;
			logger.error("A sweep of deadlines or renewals cannot be scheduled", ex);
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void nothingScheduled() {
		this.mutex.lock();
		try {
			this.next = Ticker.NEVER;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void sweep() {
		nothingScheduled();
		try {
			long due = this.sweep.applyAsLong(this.timer.nanoTime());
			this.notBefore = this.timer.nanoTime() + this.pause;
			noLaterThan(due);
		}
		catch (RuntimeException | Error ex) {
			noLaterThan(this.timer.nanoTime() + AFTER_FAILURE);
			logger.error("A sweep of deadlines or renewals failed; it is repeated", ex);
		}
	}

}
