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
package io.lockstarter.engine;

import java.util.Collection;

import io.lockstarter.LockListener;
import io.lockstarter.platform.Platform;

/**
 * Registries and stores on another platform than that of the system.
 */
public final class SimulatedEngine {

	private SimulatedEngine() {
	}

	/**
	 * Create a registry.
	 */
	public static DefaultLockRegistry registry(String instanceId, LockStore store, RegistrySettings settings,
			Collection<? extends LockListener> listeners, Collection<? extends LockMonitor> monitors,
			Platform platform) {
		return new DefaultLockRegistry(instanceId, store, settings, listeners, monitors, platform);
	}

	/**
	 * Create a store in memory.
	 */
	public static MemoryLockStore memoryStore(Platform platform) {
		return new MemoryLockStore(platform);
	}

}
