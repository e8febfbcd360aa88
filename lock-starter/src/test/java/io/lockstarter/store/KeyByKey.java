// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;

/**
 * What a store does that cannot take several keys in one step, for tests of other
 * packages.
 */
public final class KeyByKey {

	private KeyByKey() {
	}

	public static CompletableFuture<AcquireAllReply> acquire(LockStore store, List<Acquire> commands) {
		return KeyByKeyAcquisition.start(store, commands);
	}

}
