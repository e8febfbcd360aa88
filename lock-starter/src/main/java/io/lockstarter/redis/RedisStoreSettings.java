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
package io.lockstarter.redis;

import java.time.Duration;

import io.lockstarter.DurationText;
import io.lockstarter.LockOptions;

/**
 * The settings of a {@link RedisLockStore}.
 *
 * @param keyPrefix what the names of all keys and channels begin with; neither blank nor
 * with braces or white space
 * @param reservation how long a released key stays reserved for the instance that is next
 * @param fenceRetention how long the last fencing token of a key is remembered; the clock
 * of the server takes over after that
 * @param connectTimeout how long commands wait for the first connection to the server
 * before they fail
 */
public record RedisStoreSettings(String keyPrefix, Duration reservation, Duration fenceRetention,
		Duration connectTimeout) {

	private static final RedisStoreSettings DEFAULTS = new RedisStoreSettings("lock", Duration.ofMillis(250),
			Duration.ofHours(1), Duration.ofSeconds(10));

	public RedisStoreSettings {
		if (keyPrefix.isBlank() || keyPrefix.codePoints().anyMatch(RedisStoreSettings::isForbidden)) {
			throw new IllegalArgumentException(
					"keyPrefix must not be blank or contain '{', '}' or white space, but is '%s'".formatted(keyPrefix));
		}
		check("reservation", reservation);
		check("fenceRetention", fenceRetention);
		check("connectTimeout", connectTimeout);
	}

	/**
	 * Return the default settings.
	 * @return the defaults
	 */
	public static RedisStoreSettings defaults() {
		return DEFAULTS;
	}

	// The prefix begins the hash tag that the keys of a lock share in a cluster.
	private static boolean isForbidden(int character) {
		return character == '{' || character == '}' || Character.isWhitespace(character);
	}

	private static void check(String name, Duration value) {
		if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LockOptions.MAX_DURATION) > 0) {
			throw new IllegalArgumentException("%s must be between 1 ms and %s, but is %s".formatted(name,
					DurationText.of(LockOptions.MAX_DURATION), DurationText.of(value)));
		}
	}

}
