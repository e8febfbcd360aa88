package io.lockstarter.autoconfigure;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.LockStore;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the registry with the context. On shutdown it comes after whatever may
 * hold locks (web requests, task executors, schedulers, message listeners: all in high
 * phases) and just before the Redis connection factory, whose phase is 0: holders may use
 * the grace time while Redis still answers.
 */
final class LockRegistryLifecycle implements SmartLifecycle {

	static final int PHASE = 1;

	private final DefaultLockRegistry registry;

	private final LockStore store;

	LockRegistryLifecycle(DefaultLockRegistry registry, LockStore store) {
		this.registry = registry;
		this.store = store;
	}

	@Override
	public void start() {
		this.registry.start();
	}

	@Override
	public void stop() {
		try {
			this.registry.stop();
		}
		finally {
			this.store.close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.registry.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
