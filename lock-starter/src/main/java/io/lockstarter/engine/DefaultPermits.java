// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.Permits;

/**
 * The permits of a key.
 *
 * @param terms the terms of who waits
 * @param trying the terms of who tries
 */
record DefaultPermits(HolderLockRegistry registry, Slots slots, Terms terms, Terms trying) implements Permits {

	@Override
	public String key() {
		return this.slots.key();
	}

	@Override
	public int limit() {
		return this.slots.limit();
	}

	@Override
	public Lease acquire() throws InterruptedException {
		return this.registry.operations().acquirePermit(this.slots, this.terms);
	}

	@Override
	public Optional<Lease> tryAcquire() throws InterruptedException {
		try {
			return Optional.of(this.registry.operations().acquirePermit(this.slots, this.trying));
		}
		catch (LockNotAcquiredException ex) {
			return Optional.empty();
		}
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return Completions.startAsync(() -> this.registry.operations().acquirePermitAsync(this.slots, this.terms));
	}

	@Override
	public CompletableFuture<Integer> available() {
		CompletableFuture<Integer> count = CompletableFuture.completedFuture(0);
		for (String slot : this.slots.keys("")) {
			count = count.thenCompose((free) -> this.registry.inspect(slot)
				.thenApply((details) -> details.lock().isFree() ? free + 1 : free));
		}
		return count;
	}

	@Override
	public String toString() {
		return "Permits[key=%s, limit=%d]".formatted(key(), limit());
	}

}
