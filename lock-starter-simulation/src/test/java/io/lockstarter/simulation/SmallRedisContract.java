// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.LockStoreContract;
import io.lockstarter.platform.Platform;

/**
 * What every store must do, by the store of a topology on small servers, over the
 * simulated network and in virtual time.
 */
abstract class SmallRedisContract extends LockStoreContract {

	private static final long SEED = 1;

	private final Run run;

	private final JvmPlatform platform;

	private final LockStore store;

	SmallRedisContract(Topology topology) {
		super("small", Duration.ofSeconds(2));
		this.run = new Run(Scenario.of(SEED, topology), false);
		this.platform = new JvmPlatform(new Jvm(this.run.world(), "contract", 1_000_000, 1, 0));
		this.store = create(this.run, this.platform);
	}

	/**
	 * Create the store.
	 */
	LockStore create(Run run, JvmPlatform platform) {
		return run.servers().store(platform);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.run.net().close();
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected Platform platform() {
		return this.platform;
	}

	@Override
	protected boolean await(CompletableFuture<?> future, Duration atMost) {
		World world = this.run.world();
		long end = world.now() + atMost.toNanos();
		while (!future.isDone() && world.next() <= end) {
			world.step();
		}
		if (!future.isDone()) {
			world.passTo(end);
		}
		return future.isDone();
	}

}
