// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;

/**
 * What all parts of one engine use.
 *
 * @param instance the id of the instance
 * @param storeQueues knows in which queues of the store the instance may stand
 * @param forcedOwners the last owner ids that lost their key by force
 * @param host the engine, as its queues know it
 */
record Services(String instance, OwnerIdSequence ownerIds, RegistrySettings settings, Timing timing, StoreClient store,
		News news, WaitLimit waitLimit, StoreQueues storeQueues, ForcedOwners forcedOwners, Duration grantTerm,
		QueueHost host) {

	long now() {
		return this.timing.now();
	}

	String nextOwnerId() {
		return this.ownerIds.next(this.instance);
	}

}
