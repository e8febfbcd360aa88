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
