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

/**
 * Application event published when a lease is lost, after the {@link LockListener
 * listeners} were called and on their thread. Event listeners should be short.
 *
 * @since 0.1
 */
public final class LockLostEvent {

	private final LeaseInfo lease;

	private final LossCause cause;

	/**
	 * Create the event.
	 * @param lease the lease that was lost
	 * @param cause why it was lost
	 */
	public LockLostEvent(LeaseInfo lease, LossCause cause) {
		this.lease = lease;
		this.cause = cause;
	}

	/**
	 * Return the lease that was lost.
	 * @return the lease
	 */
	public LeaseInfo lease() {
		return this.lease;
	}

	/**
	 * Return why it was lost.
	 * @return the cause
	 */
	public LossCause cause() {
		return this.cause;
	}

	@Override
	public String toString() {
		return "LockLostEvent[lease=%s, cause=%s]".formatted(this.lease, this.cause);
	}

}
