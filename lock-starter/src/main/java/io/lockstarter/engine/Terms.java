// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.DurationText;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The options of one acquisition with the defaults filled in, as the engine counts: in
 * nanoseconds.
 *
 * @param ttl the ttl, in whole milliseconds
 * @param waitNanos how long to wait; {@link Ticker#NEVER} for as long as it takes
 * @param renew whether the watchdog renews
 * @param maxHoldNanos how long it goes on
 * @param minHoldNanos how long the lock stays at least
 * @param retentionNanos how long the key stays with this instance when it is released;
 * zero for not at all
 * @param releaseMode when a release is done
 * @param shared whether others may hold the key at the same time
 * @param name what the lock is called in metrics and traces
 */
record Terms(Duration ttl, long waitNanos, boolean renew, long maxHoldNanos, long minHoldNanos, long retentionNanos,
		ReleaseMode releaseMode, boolean shared, String name) {

	/**
	 * Complete options by the settings.
	 * @param maxTtl the longest ttl that the store allows
	 */
	static Terms of(LockOptions options, RegistrySettings settings, Duration maxTtl) {
		Duration ttl = checkMax((options.ttl() != null) ? options.ttl() : settings.ttl(), maxTtl);
		Duration waitTime = (options.waitTime() != null) ? options.waitTime() : settings.waitTime();
		Duration maxHold = (options.maxHold() != null) ? options.maxHold() : settings.maxHold();
		return new Terms(Duration.ofMillis(ttl.toMillis()),
				LockOptions.UNLIMITED.equals(waitTime) ? Ticker.NEVER : waitTime.toNanos(), options.renew(),
				LockOptions.UNLIMITED.equals(maxHold) ? Ticker.NEVER : maxHold.toNanos(),
				(options.minHold() != null) ? options.minHold().toNanos() : 0,
				retention(options, settings, maxHold.compareTo(ttl) > 0),
				(options.releaseMode() != null) ? options.releaseMode() : settings.releaseMode(),
				options.mode() == LockMode.SHARED, options.name());
	}

	/**
	 * Return the retention, if the next holder can do with what is left of this one's
	 * time: one whose lease is not renewed needs all of its ttl.
	 */
	private static long retention(LockOptions options, RegistrySettings settings, boolean renewed) {
		boolean none = !options.renew() || !renewed || options.mode() == LockMode.SHARED
				|| (options.minHold() != null && !options.minHold().isZero());
		Duration retention = (options.retention() != null) ? options.retention() : settings.retention();
		return none ? 0 : retention.toNanos();
	}

	/**
	 * Return the terms of whoever needs the key to be free at the store when it is
	 * released.
	 */
	Terms withoutRetention() {
		return new Terms(this.ttl, this.waitNanos, this.renew, this.maxHoldNanos, this.minHoldNanos, 0,
				this.releaseMode, this.shared, this.name);
	}

	/**
	 * Check the ttl of an extension.
	 * @param maxTtl the longest ttl that the store allows
	 * @return the ttl in whole milliseconds
	 */
	static Duration checkTtl(@Nullable Duration ttl, Duration maxTtl) {
		if (ttl == null) {
			throw new IllegalArgumentException("ttl must not be null: say for how long the lease is to be extended");
		}
		var unused = LockOptions.defaults().withTtl(ttl);
		return Duration.ofMillis(checkMax(ttl, maxTtl).toMillis());
	}

	private static Duration checkMax(Duration ttl, Duration maxTtl) {
		if (ttl.compareTo(maxTtl) > 0) {
			throw new IllegalArgumentException(
					"ttl must be at most %s, which the store allows ('distributed-lock.quorum.max-ttl'), but is %s"
						.formatted(DurationText.of(maxTtl), DurationText.of(ttl)));
		}
		return ttl;
	}

	static Duration checkMinHold(@Nullable Duration minHold) {
		if (minHold == null) {
			throw new IllegalArgumentException("minHold must not be null: zero frees the key at the release");
		}
		var unused = LockOptions.defaults().withMinHold(minHold);
		return minHold;
	}

	Terms waiting(long nanos) {
		return new Terms(this.ttl, nanos, this.renew, this.maxHoldNanos, this.minHoldNanos, this.retentionNanos,
				this.releaseMode, this.shared, this.name);
	}

	LockMode mode() {
		return this.shared ? LockMode.SHARED : LockMode.EXCLUSIVE;
	}

	/**
	 * Return whether the lease is renewed for as long as it takes.
	 */
	boolean isRenewedForever() {
		return this.renew && this.maxHoldNanos == Ticker.NEVER;
	}

	boolean isRenewedBeyondTtl() {
		return this.renew && this.maxHoldNanos > this.ttl.toNanos();
	}

	/**
	 * Return whether the lease may begin with a short time, as it is renewed soon.
	 * @param term that time; zero for none
	 */
	boolean maybeGranted(Duration term) {
		return isRenewedBeyondTtl() && !this.shared && !term.isZero() && this.ttl.compareTo(term) > 0;
	}

	boolean triesOnce() {
		return this.waitNanos <= 0;
	}

}
