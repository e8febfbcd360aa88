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
package io.lockstarter.engine;

import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.Permits;

/**
 * The numbered slots of the permits of a key, each an exclusive lock.
 *
 * @param key what the permits are of
 * @param limit how many there are
 */
record Slots(String key, int limit) {

	private static final String PREFIX = "permit:";

	Slots {
		if (limit < 1 || limit > Permits.MAX_LIMIT) {
			throw new IllegalArgumentException("The limit of permits of '%s' must be between 1 and %d, but is %d"
				.formatted(Keys.check(key), Permits.MAX_LIMIT, limit));
		}
		var unused = Keys.check(keyOf(Keys.check(key), limit));
	}

	/**
	 * Return the keys of all slots, beginning with one that depends on the instance:
	 * instances that try them in this order meet less often.
	 */
	List<String> keys(String instance) {
		int first = Math.floorMod(instance.hashCode(), this.limit);
		return IntStream.range(first, first + this.limit)
			.mapToObj((slot) -> keyOf(this.key, slot % this.limit))
			.toList();
	}

	/**
	 * Return the key of the first slot beyond the limit, which only instances with a
	 * larger limit use.
	 */
	String keyBeyond() {
		return keyOf(this.key, this.limit);
	}

	private static String keyOf(String key, int slot) {
		return PREFIX + key + ":" + slot;
	}

}
