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
import java.util.List;

import io.lockstarter.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.PrintableText;

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
 * @param migration locks of other libraries that are held together with ours; the first
 * that fits a key counts
 * @param replicasAcknowledged how many replicas have to acknowledge an acquisition; zero
 * to not ask them
 * @param acknowledgementTimeout how long replicas have to acknowledge it; commands after
 * it wait as long
 * @since 0.1
 */
public record RedisStoreSettings(String keyPrefix, Duration reservation, Duration fenceRetention,
		Duration connectTimeout, List<OldLock> migration, int replicasAcknowledged, Duration acknowledgementTimeout) {

	private static final int MOST_REPLICAS = 100;

	private static final RedisStoreSettings DEFAULTS = new RedisStoreSettings("lock", Duration.ofMillis(250),
			Duration.ofHours(1), Duration.ofSeconds(10));

	public RedisStoreSettings {
		if (keyPrefix.isBlank() || keyPrefix.codePoints().anyMatch(RedisStoreSettings::isForbidden)
				|| !PrintableText.isPrintable(keyPrefix)) {
			throw new IllegalArgumentException(
					"keyPrefix must not be blank or contain '{', '}', white space or control characters, but is '%s'"
						.formatted(PrintableText.of(keyPrefix)));
		}
		check("reservation", reservation);
		check("fenceRetention", fenceRetention);
		check("connectTimeout", connectTimeout);
		if (replicasAcknowledged < 0 || replicasAcknowledged > MOST_REPLICAS) {
			throw new IllegalArgumentException("replicasAcknowledged must be between 0 and %d, but is %d"
				.formatted(MOST_REPLICAS, replicasAcknowledged));
		}
		check("acknowledgementTimeout", acknowledgementTimeout);
		migration = List.copyOf(migration);
		for (int i = 0; i < migration.size(); i++) {
			if (migration.get(i).oldKey().startsWith(new RedisNames(keyPrefix).tag())) {
				throw new IllegalArgumentException(
						"migration[%d].oldKey must not begin with '%s', as the keys of this store do, but is '%s'"
							.formatted(i, new RedisNames(keyPrefix).tag(), migration.get(i).oldKey()));
			}
		}
	}

	/**
	 * Create settings without locks of other libraries, and without asking replicas.
	 * @param keyPrefix what the names of all keys and channels begin with
	 * @param reservation how long a released key stays reserved
	 * @param fenceRetention how long the last fencing token of a key is remembered
	 * @param connectTimeout how long commands wait for the first connection
	 */
	public RedisStoreSettings(String keyPrefix, Duration reservation, Duration fenceRetention,
			Duration connectTimeout) {
		this(keyPrefix, reservation, fenceRetention, connectTimeout, List.of(), 0, Duration.ofMillis(500));
	}

	/**
	 * Return the default settings.
	 * @return the defaults
	 */
	public static RedisStoreSettings defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the same settings, with locks of other libraries.
	 * @param migration the locks that are held together with ours
	 * @return the settings
	 */
	public RedisStoreSettings withMigration(List<OldLock> migration) {
		return new RedisStoreSettings(this.keyPrefix, this.reservation, this.fenceRetention, this.connectTimeout,
				migration, this.replicasAcknowledged, this.acknowledgementTimeout);
	}

	/**
	 * Return the same settings, with replicas that have to acknowledge each acquisition.
	 * @param replicas how many
	 * @param timeout how long they have, which is less than the ttl of locks and than
	 * commands may take
	 * @return the settings
	 */
	public RedisStoreSettings withReplicasAcknowledged(int replicas, Duration timeout) {
		return new RedisStoreSettings(this.keyPrefix, this.reservation, this.fenceRetention, this.connectTimeout,
				this.migration, replicas, timeout);
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
