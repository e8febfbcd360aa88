package io.lockstarter.autoconfigure;

import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisStoreSettings;

/**
 * The properties, checked and in the form in which their users take them.
 *
 * @param registry the settings of the registry
 * @param redis the settings of its store, if that is Redis
 */
record LockSettings(RegistrySettings registry, RedisStoreSettings redis) {

	static LockSettings of(LockProperties properties) {
		LockSettings settings = LockPropertyChecks.withinBounds(() -> new LockSettings(
				new RegistrySettings(properties.getTtl(), properties.getWaitTime(), properties.getDrift(),
						properties.getCommandTimeout(), properties.getPollInterval(), properties.getSlice(),
						properties.getShutdownGrace(), properties.getRelease()),
				new RedisStoreSettings(properties.getKeyPrefix(), RedisStoreSettings.defaults().reservation(),
						properties.getFenceRetention(), properties.getConnectTimeout())));
		LockPropertyChecks.requireShorterThanTtl(settings.registry());
		return settings;
	}

}
