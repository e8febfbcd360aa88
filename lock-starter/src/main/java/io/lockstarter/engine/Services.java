// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;

/**
 * What all parts of one engine use.
 *
 * @param instance the id of the instance
 * @param clockWarnings tells of clocks of servers that were set back
 * @param storeQueues knows in which queues of the store the instance may stand
 * @param forcedOwners the last owner ids that lost their key by force
 * @param retentionPolicy decides which keys may be retained
 */
record Services(String instance, OwnerIdSequence ownerIds, RegistrySettings settings, Timing timing, StoreClient store,
		Events events, Monitoring monitoring, WaitLimit waitLimit, ClockWarnings clockWarnings, StoreQueues storeQueues,
		ForcedOwners forcedOwners, RetentionPolicy retentionPolicy, Duration grantTerm) {

	long now() {
		return this.timing.now();
	}

	String nextOwnerId() {
		return nextOwnerId(false);
	}

	/**
	 * Return the next owner id.
	 * @param retained whether its key may be retained when it is released
	 */
	String nextOwnerId(boolean retained) {
		return this.ownerIds.next(this.instance, retained);
	}

}
