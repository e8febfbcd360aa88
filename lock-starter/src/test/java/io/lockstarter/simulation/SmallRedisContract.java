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
