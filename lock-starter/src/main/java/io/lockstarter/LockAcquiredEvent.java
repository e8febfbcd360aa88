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
