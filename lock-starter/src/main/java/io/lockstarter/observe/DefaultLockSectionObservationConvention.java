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
