// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import io.lockstarter.Lease;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of an acquirer that waits for a lock.
 *
 * @since 0.1
 */
public final class LockWaitContext extends Observation.Context {

	private final String key;

	private final String lockName;

	private @Nullable Lease lease;

	private String outcome = "none";

	LockWaitContext(String key, String lockName) {
		this.key = key;
		this.lockName = lockName;
	}

	/**
	 * Return what the acquirer wants.
	 * @return the key; of several keys all, separated by a comma
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return the name of the lock, as a value of low cardinality.
	 * @return the name; {@value LockMetrics#OTHER_NAMES} beyond the first
	 * {@value LockMetrics#MAX_NAMES}
	 */
	public String lockName() {
		return this.lockName;
	}

	/**
	 * Return how the wait ended.
	 * @return {@code acquired}, {@code busy}, {@code unavailable} or {@code interrupted};
	 * {@code none} before it has ended
	 */
	public String outcome() {
		return this.outcome;
	}

	/**
	 * Return the lease that was acquired.
	 * @return the lease, the first one of several; {@code null} if none was acquired yet
	 */
	public @Nullable Lease lease() {
		return this.lease;
	}

	void ended(@Nullable Lease lease, String outcome) {
		this.lease = lease;
		this.outcome = outcome;
	}

}
