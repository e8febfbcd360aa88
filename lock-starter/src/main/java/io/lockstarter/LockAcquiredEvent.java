// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;

/**
 * Application event published when a lease is acquired, if
 * {@code distributed-lock.publish-all-events} is set. Event listeners are called one
 * after the other on a thread of the registry.
 *
 * @since 0.1
 */
public final class LockAcquiredEvent {

	private final LeaseInfo lease;

	private final Duration waited;

	/**
	 * Create the event.
	 * @param lease the lease, which may have been released meanwhile
	 * @param waited how long the acquirer waited
	 */
	public LockAcquiredEvent(LeaseInfo lease, Duration waited) {
		this.lease = lease;
		this.waited = waited;
	}

	/**
	 * Return the lease, which may have been released meanwhile.
	 * @return the lease
	 */
	public LeaseInfo lease() {
		return this.lease;
	}

	/**
	 * Return how long the acquirer waited.
	 * @return the time from its call to the grant
	 */
	public Duration waited() {
		return this.waited;
	}

	@Override
	public String toString() {
		return "LockAcquiredEvent[lease=%s, waited=%s]".formatted(this.lease, this.waited);
	}

}
