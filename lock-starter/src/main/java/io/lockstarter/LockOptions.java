// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.lockstarter.text.DurationText;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Options to acquire and keep a lock. Immutable. An option that is {@code null} takes the
 * default of the registry.
 *
 * <pre>{@code
 * LockOptions.defaults().withTtl(Duration.ofSeconds(20)).withWaitTime(Duration.ZERO);
 * }</pre>
 *
 * @since 0.1
 */
public final class LockOptions {

	/**
	 * The shortest ttl.
	 */
	public static final Duration MIN_TTL = Duration.ofMillis(10);

	/**
	 * The longest ttl, wait time and maximum hold.
	 */
	public static final Duration MAX_DURATION = Duration.ofDays(365);

	/**
	 * The wait time that never ends, not even while the store cannot be reached; or the
	 * maximum hold that is no limit, whatever the default of the registry is.
	 */
	public static final Duration UNLIMITED = ChronoUnit.FOREVER.getDuration();

	/**
	 * The name of locks that are not given one.
	 */
	public static final String DEFAULT_NAME = "unnamed";

	private static final int MAX_NAME = 255;

	private static final LockOptions DEFAULTS = new LockOptions(
			new Values(null, null, true, null, null, null, LockMode.EXCLUSIVE, DEFAULT_NAME));

	private final Values values;

	private LockOptions(Values values) {
		this.values = values;
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
	 * Return how long the lock outlives a holder that dies. While the holder lives, the
	 * watchdog renews it.
	 * @return the ttl, {@link #MIN_TTL} to {@link #MAX_DURATION}; {@code null} for the
	 * default of the registry
	 */
	public @Nullable Duration ttl() {
		return this.values.ttl;
	}

	/**
	 * Return these options with another ttl.
	 * @param ttl how long the lock outlives a holder that dies; {@code null} for the
	 * default of the registry
	 * @return the new options
	 * @throws IllegalArgumentException if it is shorter than {@link #MIN_TTL} or longer
	 * than {@link #MAX_DURATION}
	 */
	public LockOptions withTtl(@Nullable Duration ttl) {
		Values now = this.values;
		return new LockOptions(new Values(ttl, now.waitTime, now.renew, now.maxHold, now.minHold, now.releaseMode,
				now.mode, now.name));
	}

	/**
	 * Return how long to wait for a busy key.
	 * @return the wait time, zero (try once) to {@link #MAX_DURATION}, or
	 * {@link #UNLIMITED}; {@code null} for the default of the registry
	 */
	public @Nullable Duration waitTime() {
		return this.values.waitTime;
	}

	/**
	 * Return these options with another wait time.
	 * @param waitTime how long to wait for a busy key; zero tries once,
	 * {@link #UNLIMITED} waits as long as it takes, and {@code null} is the default of
	 * the registry
	 * @return the new options
	 * @throws IllegalArgumentException if it is negative or longer than
	 * {@link #MAX_DURATION}
	 */
	public LockOptions withWaitTime(@Nullable Duration waitTime) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, waitTime, now.renew, now.maxHold, now.minHold, now.releaseMode,
				now.mode, now.name));
	}

	/**
	 * Return whether the watchdog renews the lease while its holder lives.
	 * @return whether the lease is renewed; {@code true} by default
	 */
	public boolean renew() {
		return this.values.renew;
	}

	/**
	 * Return these options with or without renewal.
	 * @param renew whether the watchdog renews the lease while its holder lives
	 * @return the new options
	 * @throws IllegalArgumentException if it is {@code false} and there is a maximum
	 * hold, which limits the renewal
	 */
	public LockOptions withRenew(boolean renew) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, now.waitTime, renew, now.maxHold, now.minHold, now.releaseMode,
				now.mode, now.name));
	}

	/**
	 * Return how long the watchdog goes on renewing, after which the lease expires and is
	 * reported lost.
	 * @return the maximum hold, {@link #MIN_TTL} to {@link #MAX_DURATION}, or
	 * {@link #UNLIMITED}; {@code null} for the default of the registry, which has no
	 * limit unless it is set
	 */
	public @Nullable Duration maxHold() {
		return this.values.maxHold;
	}

	/**
	 * Return these options with another limit of the renewal.
	 * @param maxHold how long the watchdog goes on renewing. A lease lasts for its ttl in
	 * any case: to hold it for less, shorten the ttl, too. {@link #UNLIMITED} for no
	 * limit, and {@code null} for the default of the registry
	 * @return the new options
	 * @throws IllegalArgumentException if it is shorter than {@link #MIN_TTL} or longer
	 * than {@link #MAX_DURATION}, or if there is no renewal
	 */
	public LockOptions withMaxHold(@Nullable Duration maxHold) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, now.waitTime, now.renew, maxHold, now.minHold, now.releaseMode,
				now.mode, now.name));
	}

	/**
	 * Return how long the lock stays at least, counted from its acquisition, even if it
	 * is released earlier.
	 * @return the minimum hold, zero to {@link #MAX_DURATION}; {@code null} for no
	 * minimum
	 */
	public @Nullable Duration minHold() {
		return this.values.minHold;
	}

	/**
	 * Return these options with another shortest hold. A release before it has passed
	 * leaves the lock in the store for the rest, also if this JVM ends meanwhile, and
	 * nobody waits for it: the lease is closed, and the key is busy for everybody.
	 * @param minHold how long the lock stays at least; {@code null} for no minimum
	 * @return the new options
	 * @throws IllegalArgumentException if it is negative or longer than
	 * {@link #MAX_DURATION}
	 */
	public LockOptions withMinHold(@Nullable Duration minHold) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, now.waitTime, now.renew, now.maxHold, minHold, now.releaseMode,
				now.mode, now.name));
	}

	/**
	 * Return when a release is complete for the thread that closes the lease.
	 * @return the mode; {@code null} for the default of the registry
	 */
	public @Nullable ReleaseMode releaseMode() {
		return this.values.releaseMode;
	}

	/**
	 * Return these options with another way to release.
	 * @param releaseMode when a release is complete for the thread that closes the lease;
	 * {@code null} for the default of the registry
	 * @return the new options
	 */
	public LockOptions withReleaseMode(@Nullable ReleaseMode releaseMode) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, now.waitTime, now.renew, now.maxHold, now.minHold, releaseMode,
				now.mode, now.name));
	}

	/**
	 * Return whether others may hold the key at the same time.
	 * @return the mode; {@link LockMode#EXCLUSIVE} by default
	 */
	public LockMode mode() {
		return this.values.mode;
	}

	/**
	 * Return these options with another mode. Locks of both modes exclude each other, as
	 * the write lock and the read lock of one key do.
	 * @param mode {@link LockMode#SHARED} to hold the key together with others who ask
	 * for the same
	 * @return the new options
	 * @throws IllegalArgumentException if it is shared, and there is a minimum hold
	 */
	public LockOptions withMode(LockMode mode) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, now.waitTime, now.renew, now.maxHold, now.minHold, now.releaseMode,
				mode, now.name));
	}

	/**
	 * Return what the lock is called in metrics and traces: the same for all keys of one
	 * kind, never a key.
	 * @return the name; {@link #DEFAULT_NAME} by default
	 */
	public String name() {
		return this.values.name;
	}

	/**
	 * Return these options with another name.
	 * @param name what the lock is called in metrics and traces: the same for all keys of
	 * one kind, such as {@code stock}, never a key
	 * @return the new options
	 * @throws IllegalArgumentException if it is blank, has more than 255 characters, or
	 * control characters
	 */
	public LockOptions withName(String name) {
		Values now = this.values;
		return new LockOptions(new Values(now.ttl, now.waitTime, now.renew, now.maxHold, now.minHold, now.releaseMode,
				now.mode, name));
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockOptions options && this.values.equals(options.values);
	}

	@Override
	public int hashCode() {
		return this.values.hashCode();
	}

	@Override
	public String toString() {
		return "LockOptions" + this.values.toString().substring("Values".length());
	}

	/**
	 * The options, as a record inside, as components of a public one could not be added
	 * without breaking callers.
	 */
	private record Values(@Nullable Duration ttl, @Nullable Duration waitTime, boolean renew,
			@Nullable Duration maxHold, @Nullable Duration minHold, @Nullable ReleaseMode releaseMode, LockMode mode,
			String name) {

		Values {
			check("ttl", ttl, MIN_TTL);
			if (!UNLIMITED.equals(waitTime)) {
				check("waitTime", waitTime, Duration.ZERO);
			}
			check("minHold", minHold, Duration.ZERO);
			if (maxHold != null && !UNLIMITED.equals(maxHold)) {
				check("maxHold", maxHold, MIN_TTL);
				if (!renew) {
					throw new IllegalArgumentException(
							"maxHold limits the renewal, but renew is false: drop one of them, or set the ttl instead");
				}
			}
			if (mode == null) {
				throw new IllegalArgumentException("mode must not be null: it is EXCLUSIVE or SHARED");
			}
			if (mode == LockMode.SHARED && isPositive(minHold)) {
				throw new IllegalArgumentException(
						"minHold keeps others away for a while, but a SHARED lock lets them in: drop one of them");
			}
			checkName(name);
		}

		private static boolean isPositive(@Nullable Duration value) {
			return value != null && !value.isZero();
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

}
