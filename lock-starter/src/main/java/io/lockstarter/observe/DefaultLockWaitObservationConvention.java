// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import io.lockstarter.Lease;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * Default {@link LockWaitObservationConvention}.
 *
 * @since 0.1
 */
public class DefaultLockWaitObservationConvention implements LockWaitObservationConvention {

	private final boolean showKeys;

	/**
	 * Create a convention that does not show keys, which may be personal data.
	 */
	public DefaultLockWaitObservationConvention() {
		this(false);
	}

	/**
	 * Create a convention.
	 * @param showKeys whether to show keys, as {@code lock.key}
	 */
	public DefaultLockWaitObservationConvention(boolean showKeys) {
		this.showKeys = showKeys;
	}

	@Override
	public String getName() {
		return "distributed.lock.wait";
	}

	@Override
	public String getContextualName(LockWaitContext context) {
		return "wait for lock " + context.lockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockWaitContext context) {
		return KeyValues.of(KeyValue.of("lock", context.lockName()), KeyValue.of("outcome", context.outcome()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockWaitContext context) {
		KeyValues key = this.showKeys ? KeyValues.of(KeyValue.of("lock.key", context.key())) : KeyValues.empty();
		Lease lease = context.lease();
		return (lease != null) ? key.and(KeyValue.of("lock.token", Long.toString(lease.fencingToken()))) : key;
	}

}
