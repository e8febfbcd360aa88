// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import io.lockstarter.store.LockStore;
import io.lockstarter.engine.ThreadedLockStoreContract;

/**
 * The contract, kept by three independent servers.
 */
@Tag("proof")
class QuorumContractTest extends ThreadedLockStoreContract {

	private static Servers servers;

	private static LockStore store;

	@BeforeAll
	static void start() {
		servers = new Servers(3, Duration.ofMillis(1));
		store = servers.store();
		servers.awaitReady(store);
	}

	@AfterAll
	static void stop() {
		servers.close();
	}

	@Override
	protected LockStore store() {
		return store;
	}

	// A majority suffices to listen, and the others tell whoever stands behind an
	// instance that they do not know.
	@Override
	protected boolean isHeard(String instance) {
		return servers.tell(instance);
	}

	// Each step takes several servers, and sometimes another try.
	@Override
	protected Duration fuzzing() {
		return Duration.ofSeconds(10);
	}

	@Override
	protected boolean tellsOnce() {
		return false;
	}

	@Override
	protected boolean passesOnWhatExpired() {
		return false;
	}

}
