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
package io.lockstarter;

/**
 * Enumeration of the points at which the release of a lease is complete for the thread
 * that closes it.
 *
 * @since 0.1
 */
public enum ReleaseMode {

	/**
	 * When the store has confirmed the release, or the command timeout has passed.
	 */
	CONFIRMED,

	/**
	 * At once. The answer of the store is reported to the {@link LockListener listeners}
	 * only, if the release fails. Over the same connection the next acquirer of the key
	 * comes after it.
	 */
	ASYNC

}
