// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * A key that is kept for an acquirer that tries several at once: nobody else in this JVM
 * asks for it until the claim is answered or cancelled.
 *
 * @param attempt the command that is to be sent along with those for the other keys
 */
record Claim(LocalQueue queue, Waiter waiter, AcquireAttempt attempt) {

	String key() {
		return this.queue.key();
	}

	Acquire command() {
		return this.attempt.command();
	}

	void answered(@Nullable AcquireReply reply, @Nullable Throwable failure) {
		this.queue.answered(this.attempt, reply, failure, this.waiter);
	}

	/**
	 * Cancel the claim, whose command is not sent, or was not looked at: others in this
	 * JVM may have come meanwhile.
	 */
	void cancel() {
		this.queue.cancel(this.attempt, this.waiter);
	}

	/**
	 * Give up the claim while its command is on its way.
	 */
	void giveUp() {
		var unused = this.queue.giveUp(this.waiter);
	}

}
