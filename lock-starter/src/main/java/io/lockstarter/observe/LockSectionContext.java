// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import io.lockstarter.LockScope;
import io.micrometer.observation.Observation;

/**
 * Context of the observation of a method that runs under its lock.
 *
 * @since 0.1
 */
public final class LockSectionContext extends Observation.Context {

	private final LockScope scope;

	private final String lockName;

	LockSectionContext(LockScope scope, String lockName) {
		this.scope = scope;
		this.lockName = lockName;
	}

	/**
	 * Return the leases that the method holds.
	 * @return the scope
	 */
	public LockScope scope() {
		return this.scope;
	}

	/**
	 * Return the name of the lock, as a value of low cardinality.
	 * @return the name; {@value LockMetrics#OTHER_NAMES} beyond the first
	 * {@value LockMetrics#MAX_NAMES}
	 */
	public String lockName() {
		return this.lockName;
	}

}
