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
 * Options for a call whose lease is lost while the method runs. In each case
 * {@link io.lockstarter.LockListener listeners} are notified and a warning is logged.
 *
 * @since 0.1
 */
public enum OnLost {

	/**
	 * Do nothing else: the method continues, and its result is returned.
	 */
	REPORT,

	/**
	 * Interrupt the thread of the method, or cancel its future or publisher, and fail the
	 * call with {@link io.lockstarter.LockLostException}.
	 */
	INTERRUPT,

	/**
	 * Let the method run to its end, then fail the call with
	 * {@link io.lockstarter.LockLostException}.
	 */
	FAIL

}
