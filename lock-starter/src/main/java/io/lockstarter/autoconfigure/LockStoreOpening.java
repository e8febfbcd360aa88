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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Connects to the store before the first lock is acquired. It is the last step of the
 * start-up, and has a thread of its own, as the classes it loads would slow down the
 * start of other beans. A lock that is acquired earlier connects by itself. If the
 * registry is stopped meanwhile, nothing is opened.
 */
final class LockStoreOpening implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(LockStoreOpening.class);

	private final @Nullable DefaultLockRegistry registry;

	private volatile boolean running;

	LockStoreOpening(@Nullable DefaultLockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void start() {
		DefaultLockRegistry registry = this.registry;
		if (registry != null) {
			Thread thread = new Thread(() -> open(registry), "lock-starter-opening");
			thread.setDaemon(true);
			thread.start();
		}
		this.running = true;
	}

	private static void open(DefaultLockRegistry registry) {
		try {
			registry.open();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The store of locks could not be opened ahead of the first lock", ex);
		}
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
