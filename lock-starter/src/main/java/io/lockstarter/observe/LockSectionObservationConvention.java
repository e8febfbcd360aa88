// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * {@link ObservationConvention} for what an annotated method does under its lock. A bean
 * of this type replaces {@link DefaultLockSectionObservationConvention}.
 *
 * @since 0.1
 */
public interface LockSectionObservationConvention extends ObservationConvention<LockSectionContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockSectionContext;
	}

}
