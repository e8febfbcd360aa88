// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What a queue needs of the engine that it belongs to. Called under the mutex of the
 * queue, except for {@link #extend}.
 */
interface QueueHost {

	/**
	 * Receive signals from now on, if that is not so yet.
	 */
	void listen();

	/**
	 * Return whether signals are received.
	 */
	boolean isListening();

	/**
	 * Return whether signals are received, and have been since the given instant.
	 */
	boolean listensSince(long instant);

	/**
	 * Note that a grant is used that was not told.
	 */
	void usesGrant(String key, long token);

	/**
	 * Look after a waiter, which can be seen in its queue.
	 */
	void waiting(Waiter waiter);

	/**
	 * Look after the deadline and the renewal of a lease, which can be seen in its queue.
	 */
	void leased(DefaultLease lease);

	/**
	 * Renew soon what the store granted for a short time, as can be seen in its queue.
	 */
	void confirm(String key, Ownership ownership);

	/**
	 * Renew a lease now, for a time of its holder's choice.
	 * @return whether it is held
	 */
	CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl);

	/**
	 * Forget a queue, as nobody uses its key.
	 */
	void retired(Lessor queue);

}
