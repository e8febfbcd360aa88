// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link RedisLockStore}. Immutable.
 *
 * @since 0.1
 */
public final class RedisStoreSettings {

	private static final RedisStoreSettings DEFAULTS = new RedisStoreSettings(
			new Values("lock", Duration.ofMillis(250), Duration.ofSeconds(2), Duration.ofHours(1),
					Duration.ofSeconds(10), ScriptPart.NONE, 0, Duration.ofMillis(500)));

	private final Values values;

	private RedisStoreSettings(Values values) {
		this.values = values;
	}

	/**
	 * Return the default settings.
	 * @return the defaults
	 */
	public static RedisStoreSettings defaults() {
		return DEFAULTS;
	}

	/**
	 * Return what the names of all keys and channels begin with; neither blank nor with
	 * braces or white space, and {@code lock} by default.
	 * @return the setting
	 */
	public String keyPrefix() {
		return this.values.keyPrefix;
	}

	/**
	 * Return these settings with another value of {@link #keyPrefix()}.
	 * @param keyPrefix the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withKeyPrefix(String keyPrefix) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(keyPrefix, now.reservation, now.grantTerm, now.fenceRetention,
				now.connectTimeout, now.scriptPart, now.replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return how long a released key stays reserved for the instance that is next; 250 ms
	 * by default.
	 * @return the setting
	 */
	public Duration reservation() {
		return this.values.reservation;
	}

	/**
	 * Return these settings with another value of {@link #reservation()}.
	 * @param reservation the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withReservation(Duration reservation) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, reservation, now.grantTerm, now.fenceRetention,
				now.connectTimeout, now.scriptPart, now.replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return how long a key stays with the instance that a release grants it to, unless
	 * that renews it, which it does at once: so a lease may begin with a little less than
	 * that, and an instance that is gone delays others by it. Locks with a ttl that is
	 * not longer are not granted; zero for none. 2 s by default.
	 * @return the setting
	 */
	public Duration grantTerm() {
		return this.values.grantTerm;
	}

	/**
	 * Return these settings with another value of {@link #grantTerm()}.
	 * @param grantTerm the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withGrantTerm(Duration grantTerm) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, now.reservation, grantTerm, now.fenceRetention,
				now.connectTimeout, now.scriptPart, now.replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return how long the last fencing token of a key is remembered; the clock of the
	 * server takes over after that; one hour by default.
	 * @return the setting
	 */
	public Duration fenceRetention() {
		return this.values.fenceRetention;
	}

	/**
	 * Return these settings with another value of {@link #fenceRetention()}.
	 * @param fenceRetention the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withFenceRetention(Duration fenceRetention) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, now.reservation, now.grantTerm, fenceRetention,
				now.connectTimeout, now.scriptPart, now.replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return how long commands wait for the first connection to the server before they
	 * fail; 10 s by default.
	 * @return the setting
	 */
	public Duration connectTimeout() {
		return this.values.connectTimeout;
	}

	/**
	 * Return these settings with another value of {@link #connectTimeout()}.
	 * @param connectTimeout the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withConnectTimeout(Duration connectTimeout) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, now.reservation, now.grantTerm, now.fenceRetention,
				connectTimeout, now.scriptPart, now.replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return what is added to the script; nothing by default.
	 * @return the setting
	 */
	public ScriptPart scriptPart() {
		return this.values.scriptPart;
	}

	/**
	 * Return these settings with another value of {@link #scriptPart()}.
	 * @param scriptPart the new value
	 * @return the new settings
	 */
	public RedisStoreSettings withScriptPart(ScriptPart scriptPart) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, now.reservation, now.grantTerm, now.fenceRetention,
				now.connectTimeout, scriptPart, now.replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return how many replicas have to acknowledge an acquisition; zero, which is the
	 * default, to not ask them.
	 * @return the setting
	 */
	public int replicasAcknowledged() {
		return this.values.replicasAcknowledged;
	}

	/**
	 * Return these settings with another value of {@link #replicasAcknowledged()}.
	 * @param replicasAcknowledged the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withReplicasAcknowledged(int replicasAcknowledged) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, now.reservation, now.grantTerm, now.fenceRetention,
				now.connectTimeout, now.scriptPart, replicasAcknowledged, now.acknowledgementTimeout));
	}

	/**
	 * Return how long replicas have to acknowledge it, which is less than the ttl of
	 * locks and than commands may take; commands after it wait as long; 500 ms by
	 * default.
	 * @return the setting
	 */
	public Duration acknowledgementTimeout() {
		return this.values.acknowledgementTimeout;
	}

	/**
	 * Return these settings with another value of {@link #acknowledgementTimeout()}.
	 * @param acknowledgementTimeout the new value
	 * @return the new settings
	 * @throws IllegalArgumentException if it is out of bounds
	 */
	public RedisStoreSettings withAcknowledgementTimeout(Duration acknowledgementTimeout) {
		Values now = this.values;
		return new RedisStoreSettings(new Values(now.keyPrefix, now.reservation, now.grantTerm, now.fenceRetention,
				now.connectTimeout, now.scriptPart, now.replicasAcknowledged, acknowledgementTimeout));
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RedisStoreSettings settings && this.values.equals(settings.values);
	}

	@Override
	public int hashCode() {
		return this.values.hashCode();
	}

	@Override
	public String toString() {
		return "RedisStoreSettings" + this.values.toString().substring("Values".length());
	}

	/**
	 * The settings, as a record inside, as components of a public one could not be added
	 * without breaking callers.
	 */
	private record Values(String keyPrefix, Duration reservation, Duration grantTerm, Duration fenceRetention,
			Duration connectTimeout, ScriptPart scriptPart, int replicasAcknowledged, Duration acknowledgementTimeout) {

		private static final int MOST_REPLICAS = 100;

		Values {
			if (keyPrefix.isBlank() || hasForbidden(keyPrefix) || !PrintableText.isPrintable(keyPrefix)) {
				throw new IllegalArgumentException(
						"keyPrefix must not be blank or contain '{', '}', white space or control characters, but is '%s'"
							.formatted(PrintableText.of(keyPrefix)));
			}
			check("reservation", reservation);
			if (!grantTerm.isZero()) {
				check("grantTerm", grantTerm);
			}
			check("fenceRetention", fenceRetention);
			check("connectTimeout", connectTimeout);
			if (replicasAcknowledged < 0 || replicasAcknowledged > MOST_REPLICAS) {
				throw new IllegalArgumentException("replicasAcknowledged must be between 0 and %d, but is %d"
					.formatted(MOST_REPLICAS, replicasAcknowledged));
			}
			check("acknowledgementTimeout", acknowledgementTimeout);
		}

		// The prefix begins the hash tag that the keys of a lock share in a cluster.
		private static boolean hasForbidden(String prefix) {
			for (int i = 0; i < prefix.length(); i++) {
				char each = prefix.charAt(i);
				if (each == '{' || each == '}' || Character.isWhitespace(each)) {
					return true;
				}
			}
			return false;
		}

		private static void check(String name, Duration value) {
			if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LockOptions.MAX_DURATION) > 0) {
				throw new IllegalArgumentException("%s must be between 1 ms and %s, but is %s".formatted(name,
						DurationText.of(LockOptions.MAX_DURATION), DurationText.of(value)));
			}
		}

	}

}
