package io.lockstarter.engine;

import io.lockstarter.engine.Contender.AcquireAttempt;
import io.lockstarter.engine.LockStore.Acquire;
import io.lockstarter.engine.LockStore.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * A key that is kept for an acquirer that tries several at once: nobody else in this JVM
 * asks for it until the claim is answered or given back.
 *
 * @param queue the queue of the key
 * @param waiter the acquirer
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
		this.queue.answered(this.attempt, reply, failure);
	}

	/**
	 * Give the key to those in this JVM who came meanwhile.
	 */
	void giveBack() {
		this.queue.withdraw(this.attempt, this.waiter);
	}

	/**
	 * Give up the claim while its command is on its way.
	 */
	void abandon() {
		if (this.waiter.giveUp()) {
			this.queue.abandon(this.waiter);
		}
	}

}
