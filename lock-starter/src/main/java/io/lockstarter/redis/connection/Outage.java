// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * For how long a line has had no server that executes calls, since it was closed last:
 * whether commands still wait for one, and whether it is news that none can be reached.
 * Knows nothing of what is done about it. Guarded by the monitor of the line.
 */
final class Outage {

	/**
	 * For how long after a loss commands wait for another connection.
	 */
	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

	private final Ticker ticker;

	// up to when commands wait for the first connection, from the first attempt on
	private @Nullable Deadline firstEnd;

	private boolean servedBefore;

	// since when nothing works
	private @Nullable Long lostAt;

	private @Nullable Long unreachableSince;

	Outage(Ticker ticker) {
		this.ticker = ticker;
	}

	/**
	 * Return whether no attempt to connect was made yet.
	 */
	boolean isUntried() {
		return this.firstEnd == null;
	}

	/**
	 * An attempt to connect begins.
	 * @param patience for how long commands wait for the first connection
	 * @return up to when they do; {@code null} if there was one
	 */
	@Nullable Deadline tried(Duration patience) {
		if (this.firstEnd == null) {
			this.firstEnd = Deadline.after(this.ticker, patience);
		}
		return this.servedBefore ? null : this.firstEnd;
	}

	/**
	 * A connection was lost. One that never worked ends no outage.
	 * @return whether another outage begins
	 */
	boolean lost(boolean worked) {
		boolean begins = worked || this.lostAt == null;
		if (begins) {
			this.lostAt = this.ticker.nanoTime();
		}
		return begins;
	}

	/**
	 * Return whether commands wait for another connection than the one that was lost.
	 */
	boolean isPatient() {
		return this.lostAt != null && this.ticker.nanoTime() - this.lostAt < PATIENCE;
	}

	/**
	 * Return whether commands wait for an attempt that is under way: one for the first
	 * connection is waited for as long as it takes.
	 */
	boolean isPatientNow() {
		return this.lostAt == null || isPatient();
	}

	/**
	 * Note that no server can be reached.
	 * @return whether that is news
	 */
	boolean noteUnreachable() {
		boolean news = this.unreachableSince == null;
		if (news) {
			this.unreachableSince = this.ticker.nanoTime();
		}
		return news;
	}

	/**
	 * Return whether there was a server that executed calls.
	 */
	boolean hasServedBefore() {
		return this.servedBefore;
	}

	/**
	 * A server executes calls.
	 * @return after what time, such as {@code after 20 ms}, if that is news
	 */
	@Nullable String served() {
		Long since = this.unreachableSince;
		this.unreachableSince = null;
		this.servedBefore = true;
		return (since != null) ? "after %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(this.ticker.nanoTime() - since))
				: null;
	}

}
