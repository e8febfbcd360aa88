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
