/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
		this.queue.answered(this.attempt, reply, failure);
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
		if (this.waiter.giveUp()) {
			this.queue.gaveUp(this.waiter);
		}
	}

}
