/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.engine;

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
		ForcedOwners forcedOwners, RetentionPolicy retentionPolicy) {

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
