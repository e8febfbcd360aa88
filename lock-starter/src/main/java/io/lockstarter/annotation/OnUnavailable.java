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
package io.lockstarter.annotation;

/**
 * Options for a call if the store rejects a command or does not answer.
 *
 * @since 0.1
 */
public enum OnUnavailable {

	/**
	 * Fail with {@link io.lockstarter.LockStoreException}.
	 */
	THROW,

	/**
	 * Run the method without the lock. <strong>This gives up mutual exclusion exactly
	 * when Redis is in trouble</strong>: every instance runs at the same time. For work
	 * that may happen twice but must not be left out. Each such call is logged as a
	 * warning.
	 */
	PROCEED

}
