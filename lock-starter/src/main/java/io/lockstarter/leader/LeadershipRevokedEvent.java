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
