// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.LockSetupException;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisStoreSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * Settings of the registry and the store, created from the properties and checked.
 */
record LockSettings(RegistrySettings registry, RedisStoreSettings redis) {

	static LockSettings of(LockProperties properties) {
		LockSettings settings = create(properties);
		Duration ttl = settings.registry.ttl();
		requireShorter("command-timeout", settings.registry.commandTimeout(), ttl,
				"a lock would expire before a command to renew it is given up");
		requireShorter("slice", settings.registry.slice(), ttl, "a lock would expire before its slice is over");
		Duration maxHold = settings.registry.maxHold();
		if (!LockOptions.UNLIMITED.equals(maxHold) && maxHold.compareTo(ttl) < 0) {
			throw invalid("max-hold",
					"is '%s', but a lock is held for 'distributed-lock.ttl', which is '%s', in any case"
						.formatted(DurationText.of(maxHold), DurationText.of(ttl)),
					"Shorten 'distributed-lock.ttl' or lengthen 'distributed-lock.max-hold'", null);
		}
		return settings;
	}

	private static LockSettings create(LockProperties properties) {
		try {
			return new LockSettings(RegistrySettings.defaults()
				.withTtl(properties.getTtl())
				.withWaitTime(properties.getWaitTime())
				.withDrift(properties.getDrift())
				.withCommandTimeout(properties.getCommandTimeout())
				.withPollInterval(properties.getPollInterval())
				.withSlice(properties.getSlice())
				.withShutdownGrace(properties.getShutdownGrace())
				.withReleaseMode(properties.getReleaseMode())
				.withWarnAfter(properties.getWarnAfter())
				.withMaxHold((properties.getMaxHold() != null) ? properties.getMaxHold() : LockOptions.UNLIMITED),
					RedisStoreSettings.defaults()
						.withKeyPrefix(properties.getKeyPrefix())
						.withFenceRetention(properties.getFenceRetention())
						.withConnectTimeout(properties.getConnectTimeout())
						.withReplicasAcknowledged(properties.getReplicasAcknowledged())
						.withAcknowledgementTimeout(acknowledgementTimeout(properties)));
		}
		catch (IllegalArgumentException ex) {
			// The message begins with the name of what is out of bounds.
			String[] message = String.valueOf(ex.getMessage()).split(" ", 2);
			throw invalid(DataObjectPropertyName.toDashedForm(message[0]), message[message.length - 1],
					"Set another value, or leave it out for the default", ex);
		}
	}

	/**
	 * A command may wait for the acknowledgement of others, then for its own, and then
	 * for its release.
	 */
	private static Duration acknowledgementTimeout(LockProperties properties) {
		Duration shorter = (properties.getTtl().compareTo(properties.getCommandTimeout()) < 0) ? properties.getTtl()
				: properties.getCommandTimeout();
		Duration quarter = shorter.dividedBy(4);
		return (quarter.compareTo(Duration.ofMillis(1)) < 0) ? Duration.ofMillis(1) : quarter;
	}

	private static void requireShorter(String name, Duration value, Duration ttl, String why) {
		if (value.compareTo(ttl) >= 0) {
			throw invalid(name,
					"is '%s', but must be shorter than 'distributed-lock.ttl', which is '%s': %s"
						.formatted(DurationText.of(value), DurationText.of(ttl), why),
					"Shorten 'distributed-lock.%s' or lengthen 'distributed-lock.ttl'".formatted(name), null);
		}
	}

	private static LockSetupException invalid(String name, String problem, String remedy, @Nullable Throwable cause) {
		return new LockSetupException("Property 'distributed-lock.%s' %s".formatted(name, problem), remedy, cause);
	}

}
