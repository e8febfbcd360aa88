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
package io.lockstarter.simulation.redis;

/**
 * A key's value, and its end. Immutable.
 *
 * @param value what it holds
 * @param expiresAt when it expires, in ms by the clock of the server; {@link #NEVER} if
 * it does not
 */
public record Entry(Stored value, long expiresAt) {

	/** The end of what does not expire. */
	static final long NEVER = -1;

	boolean isOver(long now) {
		return this.expiresAt != NEVER && now > this.expiresAt;
	}

	Entry holding(Stored other) {
		return new Entry(other, this.expiresAt);
	}

	Entry until(long end) {
		return new Entry(this.value, end);
	}

}
