// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import io.lockstarter.LossCause;

/**
 * Enumeration of the reasons why leadership was revoked.
 *
 * @since 0.1
 */
public enum RevocationCause {

	/**
	 * The deadline of the lease passed before a renewal was confirmed.
	 */
	EXPIRED,

	/**
	 * The store no longer has the key for the leader.
	 */
	TAKEN,

	/**
	 * Somebody released the key in place of the leader, for example through the Actuator
	 * endpoint.
	 */
	FORCED,

	/**
	 * The leader {@link LeaderElection#yieldLeadership() yielded}.
	 */
	YIELDED,

	/**
	 * The election was stopped, in most cases with its application.
	 */
	STOPPED;

	static RevocationCause of(LossCause cause) {
		return switch (cause) {
			case EXPIRED -> EXPIRED;
			case TAKEN -> TAKEN;
			case FORCED -> FORCED;
		};
	}

	/**
	 * Return whether the lease is gone, so that another instance may lead already.
	 */
	boolean isLoss() {
		return this != YIELDED && this != STOPPED;
	}

}
