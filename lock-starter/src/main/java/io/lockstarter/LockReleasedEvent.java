// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;

/**
 * Application event published when a lease is released by its holder, if
 * {@code distributed-lock.publish-all-events} is set. Event listeners are called one
 * after the other on a thread of the registry.
 *
 * @since 0.1
 */
public final class LockReleasedEvent {

	private final LeaseInfo lease;

	private final Duration held;

	/**
	 * Create the event.
	 * @param lease the lease that was released
	 * @param held how long it was held
	 */
	public LockReleasedEvent(LeaseInfo lease, Duration held) {
		this.lease = lease;
		this.held = held;
	}

	/**
	 * Return the lease that was released.
	 * @return the lease
	 */
	public LeaseInfo lease() {
		return this.lease;
	}

	/**
	 * Return how long it was held.
	 * @return the time from the grant to the release
	 */
	public Duration held() {
		return this.held;
	}

	@Override
	public String toString() {
		return "LockReleasedEvent[lease=%s, held=%s]".formatted(this.lease, this.held);
	}

}
