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

import java.time.Duration;

import io.lockstarter.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;

/**
 * The settings of a registry.
 *
 * @param ttl the ttl of locks whose options leave it open
 * @param waitTime the wait time of acquirers whose options leave it open
 * @param drift the part of the ttl that is kept back from the local deadline, against
 * clocks that run at different rates; 0 to 0.5
 * @param commandTimeout how long to wait for the answer to one command
 * @param pollInterval how often a waiting instance asks again by itself, which bounds
 * what a lost signal costs
 * @param slice how long an instance keeps a key for its own waiters, once another
 * instance is known to wait
 * @param shutdownGrace how long holders may go on after shutdown began
 * @param releaseMode how locks whose options leave it open are released
 * @param warnAfter after how long a wait and a hold are logged; zero for never
 * @since 0.1
 */
public record RegistrySettings(Duration ttl, Duration waitTime, double drift, Duration commandTimeout,
		Duration pollInterval, Duration slice, Duration shutdownGrace, ReleaseMode releaseMode, Duration warnAfter) {

	private static final RegistrySettings DEFAULTS = new RegistrySettings(Duration.ofSeconds(30),
			Duration.ofSeconds(10), 0.01, Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofMillis(20),
			Duration.ofSeconds(10), ReleaseMode.CONFIRMED);

	public RegistrySettings {
		check("ttl", ttl, LockOptions.MIN_TTL);
		check("waitTime", waitTime, Duration.ZERO);
		check("commandTimeout", commandTimeout, Duration.ofMillis(1));
		check("pollInterval", pollInterval, Duration.ofMillis(1));
		check("slice", slice, Duration.ZERO);
		check("shutdownGrace", shutdownGrace, Duration.ZERO);
		check("warnAfter", warnAfter, Duration.ZERO);
		if (!(drift >= 0 && drift <= 0.5)) {
			throw new IllegalArgumentException("drift must be between 0 and 0.5, but is " + drift);
		}
	}

	/**
	 * Create settings for a registry that does not log long waits and holds.
	 * @param ttl the ttl of locks whose options leave it open
	 * @param waitTime how long to wait for locks whose options leave it open
	 * @param drift the fraction of the ttl that is subtracted from the local deadline
	 * @param commandTimeout how long to wait for the answer to one command
	 * @param pollInterval how often a waiting instance asks again by itself
	 * @param slice how long an instance keeps a key for its own waiters
	 * @param shutdownGrace how long holders may go on after shutdown began
	 * @param releaseMode how locks whose options leave it open are released
	 */
	public RegistrySettings(Duration ttl, Duration waitTime, double drift, Duration commandTimeout,
			Duration pollInterval, Duration slice, Duration shutdownGrace, ReleaseMode releaseMode) {
		this(ttl, waitTime, drift, commandTimeout, pollInterval, slice, shutdownGrace, releaseMode, Duration.ZERO);
	}

	/**
	 * Return the default settings.
	 * @return the defaults
	 */
	public static RegistrySettings defaults() {
		return DEFAULTS;
	}

	private static void check(String name, Duration value, Duration min) {
		if (value.compareTo(min) < 0 || value.compareTo(LockOptions.MAX_DURATION) > 0) {
			throw new IllegalArgumentException("%s must be between %s and %s, but is %s".formatted(name,
					DurationText.of(min), DurationText.of(LockOptions.MAX_DURATION), DurationText.of(value)));
		}
	}

}
