// SPDX-License-Identifier: Apache-2.0
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
