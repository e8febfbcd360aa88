// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import io.lockstarter.LeaseInfo;

/**
 * Application event published when this instance leads a role no more. Event listeners
 * are called as {@link LeadershipListener} says.
 *
 * @since 0.1
 */
public final class LeadershipRevokedEvent {

	private final String role;

	private final LeaseInfo lease;

	private final RevocationCause cause;

	/**
	 * Create the event.
	 * @param role the role
	 * @param lease the lease of the time as leader that is over
	 * @param cause why it is over
	 */
	public LeadershipRevokedEvent(String role, LeaseInfo lease, RevocationCause cause) {
		this.role = role;
		this.lease = lease;
		this.cause = cause;
	}

	/**
	 * Return the role.
	 * @return the role
	 */
	public String role() {
		return this.role;
	}

	/**
	 * Return the lease of the time as leader that is over.
	 * @return the lease
	 */
	public LeaseInfo lease() {
		return this.lease;
	}

	/**
	 * Return why it is over.
	 * @return the cause
	 */
	public RevocationCause cause() {
		return this.cause;
	}

	@Override
	public String toString() {
		return "LeadershipRevokedEvent[role=%s, lease=%s, cause=%s]".formatted(this.role, this.lease, this.cause);
	}

}
