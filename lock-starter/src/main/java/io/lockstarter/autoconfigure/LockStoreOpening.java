// SPDX-License-Identifier: Apache-2.0
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
