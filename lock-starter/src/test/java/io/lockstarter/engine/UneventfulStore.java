// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.lockstarter.store.LockStore;

/**
 * A store where nothing happens but what is acquired and released: signals are received,
 * but none comes, and there is no time for a renewal.
 */
abstract class UneventfulStore implements LockStore {

	@Override
	public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		throw new AssertionError("renewed");
	}

	@Override
	public CompletableFuture<?> leave(String key, String instance) {
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public void listen(String instance, Signals signals) {
		signals.listening(true);
	}

	@Override
	public void close() {
	}

}
