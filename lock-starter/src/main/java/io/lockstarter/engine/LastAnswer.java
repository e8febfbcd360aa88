// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What the store said last of who has a key.
 *
 * @param busyAt when it said that somebody else has it; {@link #NEVER_BUSY} if it did not
 * since this instance had the key, or came for it
 * @param shared whether it said so to one who would have shared the key. If not, others
 * who would share it know nothing yet
 * @param holder the owner id, if known
 * @param since since when it has been known
 */
record LastAnswer(long busyAt, boolean shared, @Nullable String holder, long since) {

	static final long NEVER_BUSY = -1;

	static final LastAnswer NONE = new LastAnswer(NEVER_BUSY, false, null, 0);

	/**
	 * Return the answer that this instance has the key.
	 */
	static LastAnswer acquired(String ownerId, long now) {
		return new LastAnswer(NEVER_BUSY, false, ownerId, now);
	}

	/**
	 * Return the answer that follows this one: somebody else has the key.
	 */
	LastAnswer busy(long now, boolean shared, @Nullable String holder) {
		return new LastAnswer(now, shared, holder, Objects.equals(holder, this.holder) ? this.since : now);
	}

	boolean isBusy() {
		return this.busyAt != NEVER_BUSY;
	}

	/**
	 * Return whether it said that somebody else has the key, and that since an instant.
	 */
	boolean wasBusy(long instant) {
		return this.busyAt >= instant;
	}

}
