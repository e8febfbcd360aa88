// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore;

/**
 * {@link LockStore} that can be made unavailable.
 */
final class UnreliableLockStore extends DelegatingLockStore {

	private final Queue<Release> missed = new ConcurrentLinkedQueue<>();

	private volatile boolean unavailable;

	UnreliableLockStore(LockStore delegate) {
		super(delegate);
	}

	void makeUnavailable() {
		this.unavailable = true;
	}

	/**
	 * Be available again. Releases that failed are repeated here and now: the registry
	 * does that, too, but only after a pause.
	 */
	void makeAvailable() {
		if (!this.unavailable) {
			return;
		}
		this.unavailable = false;
		for (Release release = this.missed.poll(); release != null; release = this.missed.poll()) {
			var unused = this.delegate.release(release);
		}
	}

	boolean isUnavailable() {
		return this.unavailable;
	}

	@Override
	<T> CompletableFuture<T> send(String subject, Supplier<CompletableFuture<T>> command) {
		// Not transient, or callers would wait for their wait time, which tests need not.
		return this.unavailable
				? CompletableFuture.failedFuture(new LockStoreException(
						"Lock '%s': the store is unavailable, as the test wants it".formatted(subject), false, null))
				: super.send(subject, command);
	}

	@Override
	public CompletableFuture<Boolean> release(Release command) {
		if (this.unavailable) {
			this.missed.add(new Release(command.key(), command.instance(), command.ownerId(), false));
		}
		return super.release(command);
	}

}
