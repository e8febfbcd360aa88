// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Asks somebody else for an invoice, who answers a second later. The lock is held until
 * then, and no thread waits meanwhile, neither for the answer nor for the lock.
 */
@Service
class InvoiceService {

	private final Executor aSecondLater = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	@DistributedLock(key = "invoices:#{#customer}", waitTime = "10s")
	CompletableFuture<Invoice> write(long customer) {
		long token = LockScope.current().fencingToken();
		Instant begun = Instant.now();
		return CompletableFuture.supplyAsync(() -> new Invoice(token, begun, Instant.now()), this.aSecondLater);
	}

}
