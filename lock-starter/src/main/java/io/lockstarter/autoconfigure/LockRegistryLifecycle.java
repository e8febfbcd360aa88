// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.text.DurationText;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.store.LockStore;
import io.lockstarter.engine.RegistrySettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Starts and stops the registry with the context. On shutdown it comes after whatever may
 * hold locks (web requests, task executors, schedulers, message listeners: all in high
 * phases) and just before the Redis connection factory, whose phase is 0: holders may use
 * the grace time while Redis still answers.
 * <p>
 * Connects to the store when the context has been refreshed, as the classes this loads
 * would slow down the start of other beans; before others are told of it, whose locks
 * need not wait for that. A lock that is acquired earlier connects by itself.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockRegistryLifecycle implements SmartLifecycle, ApplicationListener<ContextRefreshedEvent> {

	static final int PHASE = 1;

	private static final Log logger = LogFactory.getLog(LockRegistryLifecycle.class);

	private final @Nullable DefaultLockRegistry registry;

	private final LockStore store;

	private final RegistrySettings settings;

	private volatile boolean running;

	/**
	 * Create the lifecycle.
	 * @param registry the registry; {@code null} if a test has put a mock in its place
	 */
	LockRegistryLifecycle(@Nullable DefaultLockRegistry registry, LockStore store, RegistrySettings settings) {
		this.registry = registry;
		this.store = store;
		this.settings = settings;
	}

	/**
	 * Have the registry accept acquirers, which it does from its construction until it is
	 * stopped.
	 */
	@Override
	public void start() {
		if (this.registry != null) {
			if (!this.registry.isRunning()) {
				this.registry.start();
			}
			logger.info("Instance '%s' acquires distributed locks (ttl: %s, wait time: %s)".formatted(
					this.registry.instanceId(), DurationText.of(this.settings.ttl()),
					DurationText.of(this.settings.waitTime())));
		}
		this.running = true;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		// That of a context below comes here, too, maybe after a stop.
		if (this.registry != null && this.running) {
			this.registry.start();
		}
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
