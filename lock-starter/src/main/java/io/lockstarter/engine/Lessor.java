// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.lockstarter.LossCause;

/**
 * Whoever granted a lease, and extends it or takes it back.
 */
interface Lessor {

	String key();

	long now();

	/**
	 * Return the longest ttl that the store allows.
	 */
	Duration maxTtl();

	/**
	 * Return where actions of others run, which may block.
	 */
	Executor callbacks();

	/**
	 * Change something of a lease that is read while it is released.
	 */
	void locked(Runnable transition);

	/**
	 * Renew a lease now, for a time of its holder's choice.
	 * @return whether the lease is held
	 */
	CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl);

	/**
	 * Share the key of a lease from now on.
	 * @return whether the lease is held
	 */
	CompletableFuture<Boolean> share(DefaultLease lease);

	/**
	 * Act on the answer to a renewal.
	 * @param sentAt when it was sent
	 * @return how much of the ttl counts, in nanoseconds
	 */
	long renewed(Ownership ownership, long sentAt, Duration ttl, boolean held);

	/**
	 * Release a lease.
	 * @param used whether a holder had the lease, so that its minimum hold counts
	 * @return whether the lease was held up to now, as far as known when it completes
	 */
	CompletableFuture<Boolean> release(DefaultLease lease, boolean used);

	/**
	 * Lose the lease if its deadline has passed.
	 * @return the deadline to look at next
	 */
	long checkDeadline();

	void onLost(DefaultLease lease, Consumer<LossCause> action);

}
