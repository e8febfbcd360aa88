// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.List;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * {@link BackgroundPreinitializer} that loads what locks need while the main thread still
 * prepares the application. Spring Boot 3 does not know of it, and ignores it.
 */
final class LockPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		// Connects to nothing and starts no thread. Closing it would load classes
		// that only a stop needs.
		RedisLockStore store = new RedisLockStore(new LettuceConnectionFactory(), RedisStoreSettings.defaults());
		var unused = new DefaultLockRegistry("preinitializer", store, RegistrySettings.defaults(), List.of());
	}

}
