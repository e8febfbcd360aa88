// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import io.lockstarter.LeaseInfo;

/**
 * Listener for leadership that is granted to this instance, and revoked. Beans of this
 * type are called for all roles. For each role it is called on a thread of its own, in
 * the order of what happened; what it throws is logged and has no other effect.
 * <p>
 * A callback should be short: until it returns, no later one is called, the leadership
 * that was yielded or stopped is not released, and this instance does not lead again.
 *
 * @since 0.1
 */
public interface LeadershipListener {

	/**
	 * Called when this instance has become the leader.
	 * @param role the role
	 * @param lease the lease of this time as leader, with its fencing token
	 */
	default void onGranted(String role, LeaseInfo lease) {
	}

	/**
	 * Called when this instance leads no more. If the lease was lost, that is at its
	 * deadline at the latest, before the store can give the role to another instance; if
	 * the leader yielded or stopped, the role is released after this call.
	 * @param role the role
	 * @param lease the lease of the time as leader that is over
	 * @param cause why it is over
	 */
	default void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
	}

}
