package io.lockstarter.autoconfigure;

import io.lockstarter.engine.DefaultLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Connects to the store ahead of the first lock, as the last step of the start: what it
 * loads would compete with the start of everything else. A lock that is wanted earlier
 * connects by itself.
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
