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

package io.lockstarter.platform;

/**
 * The monotonic clock that every deadline is counted by. Starts near zero, so that
 * instants compare and add as plain numbers.
 */
@FunctionalInterface
public interface Ticker {

	/**
	 * An instant that never comes.
	 */
	long NEVER = Long.MAX_VALUE;

	/**
	 * Return the present instant.
	 * @return nanoseconds since some instant in the past
	 */
	long nanoTime();

	/**
	 * Add a delay, not negative; a sum out of range is {@link #NEVER}.
	 * @param instant the instant
	 * @param delay nanoseconds
	 * @return the instant that is so much later
	 */
	static long plus(long instant, long delay) {
		return (delay >= NEVER - instant) ? NEVER : instant + delay;
	}

}
