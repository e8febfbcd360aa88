// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * {@link ObservationConvention} for waiting for a lock. A bean of this type replaces
 * {@link DefaultLockWaitObservationConvention}.
 *
 * @since 0.1
 */
public interface LockWaitObservationConvention extends ObservationConvention<LockWaitContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockWaitContext;
	}

}
