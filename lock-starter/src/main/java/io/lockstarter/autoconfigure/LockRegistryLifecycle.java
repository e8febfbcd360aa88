package io.lockstarter.autoconfigure;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the registry with the context. On shutdown it comes after whatever may
 * hold locks (web requests, task executors, schedulers, message listeners: all in high
 * phases) and just before the Redis connection factory, whose phase is 0: holders may use
 * the grace time while Redis still answers.
 */
final class LockRegistryLifecycle implements SmartLifecycle {

	static final int PHASE = 1;

	private final @Nullable DefaultLockRegistry registry;

	private final LockStore store;

	private volatile boolean running;

	/**
	 * Create the lifecycle.
	 * @param registry the registry; {@code null} if a test has put a mock in its place
	 * @param store its store
	 */
	LockRegistryLifecycle(@Nullable DefaultLockRegistry registry, LockStore store) {
		this.registry = registry;
		this.store = store;
	}

	/**
	 * Have the registry accept acquirers, which it does from its construction until it is
	 * stopped. Connecting ahead is left to {@link LockStoreOpening}.
	 */
	@Override
	public void start() {
		if (this.registry != null && !this.registry.isRunning()) {
			this.registry.start();
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		try {
			if (this.registry != null) {
				this.registry.stop();
			}
		}
		finally {
			this.store.close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
