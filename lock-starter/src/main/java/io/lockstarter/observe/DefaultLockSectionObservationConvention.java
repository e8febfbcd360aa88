// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import java.util.List;
import java.util.stream.Collectors;

import io.lockstarter.Lease;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * Default {@link LockSectionObservationConvention}.
 *
 * @since 0.1
 */
public class DefaultLockSectionObservationConvention implements LockSectionObservationConvention {

	private final boolean showKeys;

	/**
	 * Create a convention that does not show keys, which may be personal data.
	 */
	public DefaultLockSectionObservationConvention() {
		this(false);
	}

	/**
	 * Create a convention.
	 * @param showKeys whether to show keys, as {@code lock.key}
	 */
	public DefaultLockSectionObservationConvention(boolean showKeys) {
		this.showKeys = showKeys;
	}

	@Override
	public String getName() {
		return "distributed.lock.section";
	}

	@Override
	public String getContextualName(LockSectionContext context) {
		return "hold lock " + context.lockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockSectionContext context) {
		return KeyValues.of(KeyValue.of("lock", context.lockName()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockSectionContext context) {
		List<Lease> leases = context.scope().leases();
		KeyValues token = KeyValues.of(KeyValue.of("lock.token", Long.toString(leases.get(0).fencingToken())));
		return this.showKeys ? token.and("lock.key", leases.stream().map(Lease::key).collect(Collectors.joining(", ")))
				: token;
	}

}
