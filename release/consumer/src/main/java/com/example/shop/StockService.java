// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Tells whether somebody else could sell at the same time.
 */
@Service
public class StockService {

	private final LockRegistry registry;

	StockService(LockRegistry registry) {
		this.registry = registry;
	}

	@DistributedLock(key = "stock:#{#productId}", ttl = "30s", waitTime = "2s")
	public boolean sold(long productId) {
		return soldWithoutLock(productId);
	}

	public boolean soldWithoutLock(long productId) {
		return CompletableFuture.supplyAsync(() -> sell("stock:" + productId)).join();
	}

	private boolean sell(String key) {
		try {
			Optional<Lease> lease = this.registry.tryAcquire(key);
			lease.ifPresent(Lease::close);
			return lease.isPresent();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
