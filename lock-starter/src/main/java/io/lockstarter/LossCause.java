// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

/**
 * Enumeration of the reasons why a lease was lost.
 *
 * @since 0.1
 */
public enum LossCause {

	/**
	 * The deadline passed before a renewal was confirmed: the store was unreachable, the
	 * process was paused, or the lease was {@linkplain LeaseInfo#isRenewed() not to be
	 * renewed}, or not any longer.
	 */
	EXPIRED,

	/**
	 * The store answered that the key is no longer held by this lease: it expired there,
	 * was deleted, was evicted, or belongs to another holder.
	 */
	TAKEN,

	/**
	 * Somebody released the key in place of its holder, for example through the Actuator
	 * endpoint.
	 */
	FORCED

}
