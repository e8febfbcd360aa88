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
