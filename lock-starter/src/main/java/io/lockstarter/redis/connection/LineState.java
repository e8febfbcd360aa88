// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where a line is: closed, connecting by an {@link Attempt}, down until the next one, or
 * up over a {@link Link}.
 */
sealed interface LineState permits LineState.Closed, Attempt, LineState.Down, Link {

	/**
	 * Return whether commands can rely on it, as long as this is the client.
	 */
	boolean isGood(LettuceClient client);

	/**
	 * Leave it for another one, outside of the monitor of the line.
	 * @return completes when its connection is closed
	 */
	default CompletionStage<?> close() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Nobody connects before the next command.
	 */
	enum Closed implements LineState {

		INSTANCE;

		@Override
		public boolean isGood(LettuceClient client) {
			return false;
		}

	}

	/**
	 * The next attempt is to come.
	 */
	record Down(LettuceClient client, RetryTimer retry) implements LineState {

		@Override
		public boolean isGood(LettuceClient current) {
			return this.client == current && this.retry.isScheduled();
		}

	}

}
