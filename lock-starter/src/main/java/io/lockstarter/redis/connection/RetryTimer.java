// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Timer for the next attempt to connect. The pause before an attempt doubles each time,
 * up to a limit. Thread-safe.
 * <p>
 * A pause may be cancelled when the thread that ends it is on its way already. So whoever
 * is called at its end calls {@link #take()} first, under the lock that guards what the
 * attempt changes, and makes no attempt if that returns false.
 */
final class RetryTimer {

	private static final Duration GRACE = Duration.ofSeconds(5);

	private final CurrentClient source;

	private final Runnable attempt;

	private final Duration shortest;

	private final Duration longest;

	private Duration pause;

	private @Nullable Pause scheduled;

	/**
	 * Create a timer.
	 * @param attempt called when a pause is over. Calls {@link #take()}
	 */
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
		if (!isScheduled()) {
			this.scheduled = new Pause(Deadline.after(this.source.platform(), this.pause.plus(GRACE)));
			this.scheduled.cancellation = this.source.runLater(this.scheduled, this.pause);
			Duration doubled = this.pause.multipliedBy(2);
			this.pause = (doubled.compareTo(this.longest) < 0) ? doubled : this.longest;
		}
	}

	/**
	 * Return whether an attempt is to come: a pause lasts, or is over and was not taken.
	 */
	synchronized boolean isScheduled() {
		Pause present = this.scheduled;
		return present != null && present.cancellation != null && !present.end.isOver();
	}

	synchronized void cancel() {
		Pause present = this.scheduled;
		this.scheduled = null;
		if (present != null && present.cancellation != null) {
			present.cancellation.run();
		}
	}

	/**
	 * Take the pause that is over.
	 * @return whether there is one: it may have been cancelled meanwhile, and another one
	 * scheduled
	 */
	synchronized boolean take() {
		boolean over = this.scheduled != null && this.scheduled.over;
		if (over) {
			this.scheduled = null;
		}
		return over;
	}

	/**
	 * Begin again with the first pause.
	 */
	synchronized void reset() {
		this.pause = this.shortest;
	}

	/**
	 * A pause before an attempt, guarded by the timer.
	 */
	private final class Pause implements Runnable {

		// when the attempt is missing, as the thread that was to begin it died
		private final Deadline end;

		private @Nullable Runnable cancellation;

		private boolean over;

		Pause(Deadline end) {
			this.end = end;
		}

		@Override
		public void run() {
			synchronized (RetryTimer.this) {
				this.over = true;
			}
			RetryTimer.this.attempt.run();
		}

	}

}
