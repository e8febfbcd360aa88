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
 * Enumeration of the reasons why a lease was lost.
 *
 * @since 0.1
 */
public enum LossCause {

	/**
	 * The deadline passed before a renewal was confirmed: the store was unreachable, the
	 * process was paused, or the lease was not to be renewed.
	 */
	EXPIRED,

	/**
	 * The store answered that the key is no longer held by this lease: it expired there,
	 * was deleted, was evicted, or belongs to another holder.
	 */
	TAKEN,

	/**
	 * Somebody released the key in place of its holder, for example through the Actuator
	 * endpoint.
	 */
	FORCED

}
