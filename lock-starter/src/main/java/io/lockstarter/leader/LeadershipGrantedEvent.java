// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import io.lockstarter.LeaseInfo;

/**
 * Application event published when this instance has become the leader of a role. Event
 * listeners are called as {@link LeadershipListener} says.
 *
 * @since 0.1
 */
public final class LeadershipGrantedEvent {

	private final String role;

	private final LeaseInfo lease;

	/**
	 * Create the event.
	 * @param role the role
	 * @param lease the lease of this time as leader
	 */
	public LeadershipGrantedEvent(String role, LeaseInfo lease) {
		this.role = role;
		this.lease = lease;
	}

	/**
	 * Return the role.
	 * @return the role
	 */
	public String role() {
		return this.role;
	}

	/**
	 * Return the lease of this time as leader, with its fencing token.
	 * @return the lease
	 */
	public LeaseInfo lease() {
		return this.lease;
	}

	@Override
	public String toString() {
		return "LeadershipGrantedEvent[role=%s, lease=%s]".formatted(this.role, this.lease);
	}

}
