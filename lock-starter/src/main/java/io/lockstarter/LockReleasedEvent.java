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
