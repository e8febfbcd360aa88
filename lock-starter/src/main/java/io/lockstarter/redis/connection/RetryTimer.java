// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Timer for the next attempt to connect. The pause before an attempt doubles each time,
 * up to a limit. Thread-safe.
 */
final class RetryTimer {

	private static final Duration GRACE = Duration.ofSeconds(5);

	private final CurrentClient source;

	private final Runnable attempt;

	private final Duration shortest;

	private final Duration longest;

	private Duration pause;

	private @Nullable Runnable cancellation;

	// when the attempt is missing, as the thread that was to begin it died
	private @Nullable Deadline end;

	RetryTimer(CurrentClient source, Runnable attempt, Duration shortest, Duration longest) {
		this.source = source;
		this.attempt = attempt;
		this.shortest = shortest;
		this.longest = longest;
		this.pause = shortest;
	}

	/**
	 * Schedule the next attempt, unless one is scheduled. Without a client nothing is.
	 */
	synchronized void schedule() {
		schedule(this.longest);
	}

	/**
	 * Schedule the next attempt, unless one is scheduled, after this pause at most.
	 */
	synchronized void schedule(Duration most) {
		if (!isScheduled()) {
			Duration next = (this.pause.compareTo(most) < 0) ? this.pause : most;
			this.end = Deadline.after(this.source.platform(), next.plus(GRACE));
			this.cancellation = this.source.runLater(this::run, next);
			Duration doubled = this.pause.multipliedBy(2);
			this.pause = (doubled.compareTo(this.longest) < 0) ? doubled : this.longest;
		}
	}

	synchronized boolean isScheduled() {
		return this.cancellation != null && this.end != null && !this.end.isOver();
	}

	synchronized void cancel() {
		if (this.cancellation != null) {
			this.cancellation.run();
			this.cancellation = null;
		}
	}

	/**
	 * Begin again with the first pause.
	 */
	synchronized void reset() {
		this.pause = this.shortest;
	}

	private void run() {
		synchronized (this) {
			this.cancellation = null;
		}
		this.attempt.run();
	}

}
