// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a registry. Immutable.
 *
 * @since 0.1
 */
public final class RegistrySettings {

	private static final RegistrySettings DEFAULTS = new RegistrySettings(
			LockOptions.defaults()
				.withTtl(Duration.ofSeconds(30))
				.withWaitTime(Duration.ofSeconds(10))
				.withMaxHold(LockOptions.UNLIMITED)
				.withReleaseMode(ReleaseMode.CONFIRMED),
			new Values(0.01, Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofMillis(20),
					Duration.ofSeconds(10), Duration.ZERO));

	// what counts for locks whose options leave it open
	private final LockOptions locks;

	private final Values values;

	private RegistrySettings(LockOptions locks, Values values) {
		this.locks = locks;
		this.values = values;
	}

	/**
	 * Return the default settings.
	 * @return the defaults
	 */
	public static RegistrySettings defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the ttl of locks whose options leave it open; 30 s by default.
	 * @return the setting
	 */
	public Duration ttl() {
		return Objects.requireNonNull(this.locks.ttl());
	}

	/**
	 * Return these settings with another value of {@link #ttl()}.
	 * @param ttl the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withTtl(Duration ttl) {
		return new RegistrySettings(this.locks.withTtl(Objects.requireNonNull(ttl)), this.values);
	}

	/**
	 * Return how long acquirers wait whose options leave it open; 10 s by default, and
	 * zero to try once.
	 * @return the setting
	 */
	public Duration waitTime() {
		return Objects.requireNonNull(this.locks.waitTime());
	}

	/**
	 * Return these settings with another value of {@link #waitTime()}.
	 * @param waitTime the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withWaitTime(Duration waitTime) {
		Values.check("waitTime", waitTime, Duration.ZERO);
		return new RegistrySettings(this.locks.withWaitTime(waitTime), this.values);
	}

	/**
	 * Return the part of the ttl that is kept back from the local deadline, against
	 * clocks that run at different rates; 0 to 0.5, and 0.01 by default.
	 * @return the setting
	 */
	public double drift() {
		return this.values.drift;
	}

	/**
	 * Return these settings with another value of {@link #drift()}.
	 * @param drift the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withDrift(double drift) {
		Values now = this.values;
		return with(
				new Values(drift, now.commandTimeout, now.pollInterval, now.slice, now.shutdownGrace, now.warnAfter));
	}

	/**
	 * Return how long to wait for the answer to one command; 2 s by default.
	 * @return the setting
	 */
	public Duration commandTimeout() {
		return this.values.commandTimeout;
	}

	/**
	 * Return these settings with another value of {@link #commandTimeout()}.
	 * @param commandTimeout the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withCommandTimeout(Duration commandTimeout) {
		Values now = this.values;
		return with(
				new Values(now.drift, commandTimeout, now.pollInterval, now.slice, now.shutdownGrace, now.warnAfter));
	}

	/**
	 * Return how often a waiting instance asks again by itself, which bounds what a lost
	 * signal costs; 5 s by default.
	 * @return the setting
	 */
	public Duration pollInterval() {
		return this.values.pollInterval;
	}

	/**
	 * Return these settings with another value of {@link #pollInterval()}.
	 * @param pollInterval the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withPollInterval(Duration pollInterval) {
		Values now = this.values;
		return with(
				new Values(now.drift, now.commandTimeout, pollInterval, now.slice, now.shutdownGrace, now.warnAfter));
	}

	/**
	 * Return how long an instance keeps a key for its own waiters, once another instance
	 * is known to wait; 20 ms by default.
	 * @return the setting
	 */
	public Duration slice() {
		return this.values.slice;
	}

	/**
	 * Return these settings with another value of {@link #slice()}.
	 * @param slice the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withSlice(Duration slice) {
		Values now = this.values;
		return with(
				new Values(now.drift, now.commandTimeout, now.pollInterval, slice, now.shutdownGrace, now.warnAfter));
	}

	/**
	 * Return how long holders may go on after shutdown began; 10 s by default.
	 * @return the setting
	 */
	public Duration shutdownGrace() {
		return this.values.shutdownGrace;
	}

	/**
	 * Return these settings with another value of {@link #shutdownGrace()}.
	 * @param shutdownGrace the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withShutdownGrace(Duration shutdownGrace) {
		Values now = this.values;
		return with(
				new Values(now.drift, now.commandTimeout, now.pollInterval, now.slice, shutdownGrace, now.warnAfter));
	}

	/**
	 * Return how locks whose options leave it open are released;
	 * {@link ReleaseMode#CONFIRMED} by default.
	 * @return the setting
	 */
	public ReleaseMode releaseMode() {
		return Objects.requireNonNull(this.locks.releaseMode());
	}

	/**
	 * Return these settings with another value of {@link #releaseMode()}.
	 * @param releaseMode the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withReleaseMode(ReleaseMode releaseMode) {
		return new RegistrySettings(this.locks.withReleaseMode(Objects.requireNonNull(releaseMode)), this.values);
	}

	/**
	 * Return after how long a wait and a hold are logged; zero, which is the default, for
	 * never.
	 * @return the setting
	 */
	public Duration warnAfter() {
		return this.values.warnAfter;
	}

	/**
	 * Return these settings with another value of {@link #warnAfter()}.
	 * @param warnAfter the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withWarnAfter(Duration warnAfter) {
		Values now = this.values;
		return with(
				new Values(now.drift, now.commandTimeout, now.pollInterval, now.slice, now.shutdownGrace, warnAfter));
	}

	/**
	 * Return how long leases are renewed whose options leave it open;
	 * {@link LockOptions#UNLIMITED} by default. It does not concern leases that are not
	 * renewed.
	 * @return the setting
	 */
	public Duration maxHold() {
		return Objects.requireNonNull(this.locks.maxHold());
	}

	/**
	 * Return these settings with another value of {@link #maxHold()}.
	 * @param maxHold the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RegistrySettings withMaxHold(Duration maxHold) {
		return new RegistrySettings(this.locks.withMaxHold(Objects.requireNonNull(maxHold)), this.values);
	}

	private RegistrySettings with(Values changed) {
		return new RegistrySettings(this.locks, changed);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RegistrySettings settings && this.locks.equals(settings.locks)
				&& this.values.equals(settings.values);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.locks, this.values);
	}

	@Override
	public String toString() {
		return "RegistrySettings[%s, %s]".formatted(this.locks, this.values);
	}

	/**
	 * The settings of the engine, as a record inside, as components of a public one could
	 * not be added without breaking callers.
	 */
	private record Values(double drift, Duration commandTimeout, Duration pollInterval, Duration slice,
			Duration shutdownGrace, Duration warnAfter) {

		Values {
			check("commandTimeout", commandTimeout, Duration.ofMillis(1));
			check("pollInterval", pollInterval, Duration.ofMillis(1));
			check("slice", slice, Duration.ZERO);
			check("shutdownGrace", shutdownGrace, Duration.ZERO);
			check("warnAfter", warnAfter, Duration.ZERO);
			if (!(drift >= 0 && drift <= 0.5)) {
				throw new IllegalArgumentException("drift must be between 0 and 0.5, but is " + drift);
			}
		}

		private static void check(String name, Duration value, Duration min) {
			if (value.compareTo(min) < 0 || value.compareTo(LockOptions.MAX_DURATION) > 0) {
				throw new IllegalArgumentException("%s must be between %s and %s, but is %s".formatted(name,
						DurationText.of(min), DurationText.of(LockOptions.MAX_DURATION), DurationText.of(value)));
			}
		}

	}

}
