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
	 * Return whether a released key may be retained: signals are received, by which it is
	 * recalled, and have been since it was asked for, so that it is known if others wait.
	 */
	boolean mayRetain(long askedAt);

	/**
	 * Look after a key that is retained up to the given instant, as can be seen in its
	 * queue.
	 */
	void retaining(long until);

	/**
	 * Look after a waiter, which can be seen in its queue.
	 */
	void waiting(Waiter waiter);

	/**
	 * Look after the deadline and the renewal of a lease, which can be seen in its queue.
	 */
	void leased(DefaultLease lease);

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
