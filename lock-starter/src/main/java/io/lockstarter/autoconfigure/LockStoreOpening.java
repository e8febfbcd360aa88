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

import io.lockstarter.engine.DefaultLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Connects to the store before the first lock is acquired. It is the last step of the
 * start-up, as the classes it loads would slow down the start of other beans. A lock that
 * is acquired earlier connects by itself.
 */
final class LockStoreOpening implements SmartLifecycle {

	private final @Nullable DefaultLockRegistry registry;

	private volatile boolean running;

	LockStoreOpening(@Nullable DefaultLockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void start() {
		if (this.registry != null) {
			this.registry.start();
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return Integer.MAX_VALUE;
	}

}
