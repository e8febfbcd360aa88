// SPDX-License-Identifier: Apache-2.0
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
