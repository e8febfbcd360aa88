// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.Permits;

/**
 * The permits of a key.
 *
 * @param operations gives what acquires, or throws if the registry is shut down
 * @param inspect tells what the store says of a slot
 * @param terms the terms of who waits
 * @param trying the terms of who tries
 */
record DefaultPermits(Supplier<AcquireOperations> operations,
		Function<String, CompletableFuture<StoredLockDetails>> inspect, Slots slots, Terms terms,
		Terms trying) implements Permits {

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
		return this.operations.get().acquirePermit(this.slots, this.terms);
	}

	@Override
	public Optional<Lease> tryAcquire() throws InterruptedException {
		try {
			return Optional.of(this.operations.get().acquirePermit(this.slots, this.trying));
		}
		catch (LockNotAcquiredException ex) {
			return Optional.empty();
		}
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return Completions.startAsync(() -> this.operations.get().acquirePermitAsync(this.slots, this.terms));
	}

	@Override
	public CompletableFuture<Integer> available() {
		CompletableFuture<Integer> count = CompletableFuture.completedFuture(0);
		for (String slot : this.slots.keys("")) {
			count = count.thenCompose((free) -> this.inspect.apply(slot)
				.thenApply((details) -> details.lock().isFree() ? free + 1 : free));
		}
		return count;
	}

	@Override
	public String toString() {
		return "Permits[key=%s, limit=%d]".formatted(key(), limit());
	}

}
