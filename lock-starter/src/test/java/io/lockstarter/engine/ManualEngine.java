// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockOptions;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;

/**
 * A registry whose time passes when the test says so, over a store that answers what the
 * test says.
 */
final class ManualEngine {

	static final String INSTANCE = "app";

	static final String KEY = "stock:42";

	static final Duration TTL = Duration.ofSeconds(30);

	/**
	 * How long a lease of {@link #TTL} counts as held: less 1 % and 2 ms.
	 */
	static final Duration TERM = Duration.ofMillis(29_698);

	private final ManualTiming time = new ManualTiming();

	private final ScriptedStore store;

	private final RecordedEvents events = new RecordedEvents();

	private final DefaultLockRegistry registry;

	ManualEngine() {
		this(settings());
	}

	ManualEngine(RegistrySettings settings) {
		this(settings, new ScriptedStore());
	}

	ManualEngine(RegistrySettings settings, ScriptedStore store) {
		this(settings, store, List.of());
	}

	ManualEngine(RegistrySettings settings, ScriptedStore store, List<LockMonitor> monitors) {
		this.store = store;
		this.registry = new DefaultLockRegistry(INSTANCE, this.store, settings, List.of(this.events), monitors,
				this.time);
	}

	/**
	 * Return the settings of these tests. There is no grace at shutdown, as it would take
	 * real time.
	 */
	static RegistrySettings settings() {
		return RegistrySettings.defaults()
			.withTtl(TTL)
			.withSlice(Duration.ofMillis(5))
			.withShutdownGrace(Duration.ZERO);
	}

	/**
	 * Return the release of a key that the owner id may have no more.
	 */
	static Release orphan(String key, String instance, String ownerId) {
		return new Release(key, instance, ownerId, Queueing.NONE, 1, true);
	}

	ManualTiming time() {
		return this.time;
	}

	ScriptedStore store() {
		return this.store;
	}

	RecordedEvents events() {
		return this.events;
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	/**
	 * Return the truth of a store whose clock is the test's.
	 */
	MemoryLockStore memoryStore() {
		return MemoryStores.on(this.time);
	}

	/**
	 * Acquire a lease without a waiting thread.
	 */
	CompletableFuture<Lease> request(String key, LockOptions options) {
		return this.registry.acquireAsync(key, options);
	}

	CompletableFuture<Lease> request() {
		return request(KEY, LockOptions.defaults());
	}

	/**
	 * Acquire a lease that the store grants at once.
	 */
	Lease lease(String key, LockOptions options) {
		return this.registry.acquireAsync(key, options).join();
	}

	Lease lease() {
		return lease(KEY, LockOptions.defaults());
	}

	/**
	 * Let the registry meet its first contention, after which it receives signals.
	 */
	void startListening() {
		Lease first = lease("contended", LockOptions.defaults());
		CompletableFuture<Lease> second = request("contended", LockOptions.defaults());
		first.close();
		second.join().close();
	}

	void tick(Duration duration) {
		this.time.tick(duration);
	}

	void tickMillis(long millis) {
		this.time.tick(Duration.ofMillis(millis));
	}

}
