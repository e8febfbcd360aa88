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

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * Options to acquire and keep a lock. Immutable; an option that is {@code null} takes the
 * default of the registry.
 *
 * @param ttl how long the lock outlives a holder that dies, {@link #MIN_TTL} to
 * {@link #MAX_DURATION}; {@code null} for the default of the registry
 * @param waitTime how long to wait for a busy key, zero (try once) to
 * {@link #MAX_DURATION}, or {@link #UNLIMITED}; {@code null} for the default of the
 * registry
 * @param renew whether the watchdog renews the lease while its holder lives
 * @param maxHold how long the watchdog goes on renewing, after which the lease expires
 * and is reported lost; {@code null} for no limit
 * @param minHold how long the lock stays at least, counted from its acquisition, even if
 * it is released earlier; {@code null} for no minimum
 * @param releaseMode when a release is complete for the thread that closes the lease;
 * {@code null} for the default of the registry
 * @param name what the lock is called in metrics and traces: the same for all keys of one
 * kind, never a key
 * @since 0.1
 */
public record LockOptions(@Nullable Duration ttl, @Nullable Duration waitTime, boolean renew,
		@Nullable Duration maxHold, @Nullable Duration minHold, @Nullable ReleaseMode releaseMode, String name) {

	/**
	 * The shortest ttl.
	 */
	public static final Duration MIN_TTL = Duration.ofMillis(10);

	/**
	 * The longest ttl, wait time and maximum hold.
	 */
	public static final Duration MAX_DURATION = Duration.ofDays(365);

	/**
	 * The wait time that never ends, not even while the store cannot be reached.
	 */
	public static final Duration UNLIMITED = ChronoUnit.FOREVER.getDuration();

	/**
	 * The name of locks that are not given one.
	 */
	public static final String DEFAULT_NAME = "unnamed";

	private static final int MAX_NAME = 255;

	private static final LockOptions DEFAULTS = new LockOptions(null, null, true, null, null, null, DEFAULT_NAME);

	public LockOptions {
		check("ttl", ttl, MIN_TTL);
		if (!UNLIMITED.equals(waitTime)) {
			check("waitTime", waitTime, Duration.ZERO);
		}
		check("maxHold", maxHold, MIN_TTL);
		check("minHold", minHold, Duration.ZERO);
		if (maxHold != null && !renew) {
			throw new IllegalArgumentException(
					"maxHold limits the renewal, but renew is false: drop one of them, or set the ttl instead");
		}
		checkName(name);
	}

	/**
	 * Return options that leave everything to the registry's defaults: renewed, without a
	 * limit.
	 * @return the default options
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Return these options with another ttl.
	 * @param ttl how long the lock outlives a holder that dies
	 * @return the new options
	 */
	public LockOptions withTtl(Duration ttl) {
		return new LockOptions(ttl, this.waitTime, this.renew, this.maxHold, this.minHold, this.releaseMode, this.name);
	}

	/**
	 * Return these options with another wait time.
	 * @param waitTime how long to wait for a busy key; zero tries once, and
	 * {@link #UNLIMITED} waits as long as it takes
	 * @return the new options
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.ttl, waitTime, this.renew, this.maxHold, this.minHold, this.releaseMode, this.name);
	}

	/**
	 * Return these options with or without renewal.
	 * @param renew whether the watchdog renews the lease while its holder lives
	 * @return the new options
	 */
	public LockOptions withRenew(boolean renew) {
		return new LockOptions(this.ttl, this.waitTime, renew, this.maxHold, this.minHold, this.releaseMode, this.name);
	}

	/**
	 * Return these options with another limit of the renewal.
	 * @param maxHold how long the watchdog goes on renewing
	 * @return the new options
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.ttl, this.waitTime, this.renew, maxHold, this.minHold, this.releaseMode, this.name);
	}

	/**
	 * Return these options with another shortest hold. A release before it has passed
	 * leaves the lock in the store for the rest, also if this JVM ends meanwhile, and
	 * nobody waits for it: the lease is closed, and the key is busy for everybody.
	 * @param minHold how long the lock stays at least
	 * @return the new options
	 */
	public LockOptions withMinHold(Duration minHold) {
		return new LockOptions(this.ttl, this.waitTime, this.renew, this.maxHold, minHold, this.releaseMode, this.name);
	}

	/**
	 * Return these options with another way to release.
	 * @param releaseMode when a release is complete for the thread that closes the lease
	 * @return the new options
	 */
	public LockOptions withReleaseMode(ReleaseMode releaseMode) {
		return new LockOptions(this.ttl, this.waitTime, this.renew, this.maxHold, this.minHold, releaseMode, this.name);
	}

	/**
	 * Return these options with another name.
	 * @param name what the lock is called in metrics and traces: the same for all keys of
	 * one kind, such as {@code stock}, never a key
	 * @return the new options
	 */
	public LockOptions withName(String name) {
		return new LockOptions(this.ttl, this.waitTime, this.renew, this.maxHold, this.minHold, this.releaseMode, name);
	}

	private static void checkName(String name) {
		if (name == null || name.isBlank()) {
			throw new IllegalArgumentException(
					"name must not be blank: leave it out, or say what the lock is called in metrics and traces");
		}
		if (name.length() > MAX_NAME) {
			throw new IllegalArgumentException(
					"name must have %d characters at most, but has %d".formatted(MAX_NAME, name.length()));
		}
		if (!PrintableText.isPrintable(name)) {
			throw new IllegalArgumentException(
					"""
							name must not contain control characters, line separators or characters that change the direction of \
							text, but is '%s'"""
						.formatted(PrintableText.of(name)));
		}
	}

	private static void check(String name, @Nullable Duration value, Duration min) {
		if (value != null && (value.compareTo(min) < 0 || value.compareTo(MAX_DURATION) > 0)) {
			throw new IllegalArgumentException("%s must be between %s and %s, but is %s".formatted(name,
					DurationText.of(min), DurationText.of(MAX_DURATION), DurationText.of(value)));
		}
	}

}
