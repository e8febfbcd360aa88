// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.store.LockStore.Acquire;
import org.jspecify.annotations.Nullable;

/**
 * A command to acquire.
 *
 * @param prolonged what it goes on with, by the same owner id; {@code null} if the key is
 * acquired anew
 * @param prolongs whether its owner id may have the key already
 * @param again whether the answer to the one before came too late
 */
record AcquireAttempt(Acquire command, @Nullable Ownership prolonged, boolean prolongs, boolean again, long sentAt) {

	/**
	 * Return what was passed on here up to now, if the store is to say whether it has it.
	 */
	@Nullable Ownership passedOn() {
		return this.command.held() ? this.prolonged : null;
	}

	/**
	 * Return when the first command of its owner id was sent.
	 */
	long ownerSince() {
		return (this.prolonged != null) ? this.prolonged.ownerSince() : this.sentAt;
	}

}
