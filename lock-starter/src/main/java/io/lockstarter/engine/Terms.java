// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.text.DurationText;
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
 * @param releaseMode when a release is done
 * @param shared whether others may hold the key at the same time
 * @param name what the lock is called in metrics and traces
 */
record Terms(Duration ttl, long waitNanos, boolean renew, long maxHoldNanos, long minHoldNanos, ReleaseMode releaseMode,
		boolean shared, String name) {

	/**
	 * Complete options by the settings.
	 * @param maxTtl the longest ttl that the store allows
	 */
	static Terms of(LockOptions options, RegistrySettings settings, Duration maxTtl) {
		Duration ttl = checkMax("ttl", (options.ttl() != null) ? options.ttl() : settings.ttl(), maxTtl);
		Duration waitTime = (options.waitTime() != null) ? options.waitTime() : settings.waitTime();
		Duration maxHold = (options.maxHold() != null) ? options.maxHold() : settings.maxHold();
		Duration minHold = checkMax("minHold", (options.minHold() != null) ? options.minHold() : Duration.ZERO, maxTtl);
		return new Terms(Duration.ofMillis(ttl.toMillis()),
				LockOptions.UNLIMITED.equals(waitTime) ? Ticker.NEVER : waitTime.toNanos(), options.renew(),
				LockOptions.UNLIMITED.equals(maxHold) ? Ticker.NEVER : maxHold.toNanos(), minHold.toNanos(),
				(options.releaseMode() != null) ? options.releaseMode() : settings.releaseMode(),
				options.mode() == LockMode.SHARED, options.name());
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
		return Duration.ofMillis(checkMax("ttl", ttl, maxTtl).toMillis());
	}

	private static Duration checkMax(String name, Duration value, Duration max) {
		if (value.compareTo(max) > 0) {
			throw new IllegalArgumentException(
					"%s must be at most %s, which the store allows ('distributed-lock.quorum.max-ttl'), but is %s"
						.formatted(name, DurationText.of(max), DurationText.of(value)));
		}
		return value;
	}

	/**
	 * Check a minimum hold, for which the store keeps a key as for a ttl.
	 * @param maxTtl the longest ttl that the store allows
	 */
	static Duration checkMinHold(@Nullable Duration minHold, Duration maxTtl) {
		if (minHold == null) {
			throw new IllegalArgumentException("minHold must not be null: zero frees the key at the release");
		}
		var unused = LockOptions.defaults().withMinHold(minHold);
		return checkMax("minHold", minHold, maxTtl);
	}

	Terms waiting(long nanos) {
		return new Terms(this.ttl, nanos, this.renew, this.maxHoldNanos, this.minHoldNanos, this.releaseMode,
				this.shared, this.name);
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
