// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.Permits;
import io.lockstarter.interceptor.async.Leases;
import io.lockstarter.interceptor.key.LockKeys;
import io.lockstarter.interceptor.transaction.Hold;

/**
 * {@link LeaseSource} that acquires a permit of the key of the call.
 */
record LimitedKey(LockServices services, LockKeys keys, int limit, LockOptions options) implements LeaseSource {

	@Override
	public Hold acquire(LockCall call) throws InterruptedException {
		Permits permits = permits(call);
		try {
			return Hold.of(permits.acquire());
		}
		catch (InterruptedException ex) {
			throw call.interrupted(permits.key(), ex);
		}
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAsync(LockCall call) {
		CompletableFuture<Lease> permit = permits(call).acquireAsync();
		CompletableFuture<List<Lease>> grant = new CompletableFuture<>();
		var unused = permit
			.whenComplete((lease, failure) -> Leases.settle(grant, (lease != null) ? List.of(lease) : null, failure));
		// Without effect if it was completed with the permit.
		var unusedEnd = grant.whenComplete((leases, failure) -> permit.cancel(false));
		return grant;
	}

	private Permits permits(LockCall call) {
		Collection<String> keys = this.keys.of(call.target(), call.arguments());
		if (keys.size() != 1) {
			throw new IllegalArgumentException("A permit has one key, but here are %d: %s. Write a key that is one text"
				.formatted(keys.size(), keys));
		}
		return LeaseSource.stubbed(this.services.registry().permits(keys.iterator().next(), this.limit, this.options),
				"permits");
	}

}
