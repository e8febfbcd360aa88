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
 * Phases in which the lock of a method can be released.
 *
 * @since 0.1
 */
public enum ReleasePhase {

	/**
	 * When the method has ended, or when the transaction has completed in which it was
	 * called. In either case the next holder sees what the method wrote.
	 */
	AUTO,

	/**
	 * When the method has ended, even if the transaction in which it was called goes on.
	 * The next holder may then not see what this one wrote.
	 */
	AFTER_METHOD,

	/**
	 * When the transaction has completed in which the method was called. A call without a
	 * transaction fails with {@link IllegalStateException}, before any I/O.
	 */
	AFTER_TRANSACTION

}
