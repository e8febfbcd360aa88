// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockMode;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Prices that many read at the same time, and one changes while nobody reads, whichever
 * instance they call.
 */
@Service
class PriceService {

	private final Executor later = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS);

	@DistributedLock(key = "prices", mode = LockMode.SHARED)
	CompletableFuture<Visit> read() {
		return visit(LockMode.SHARED);
	}

	@DistributedLock(key = "prices")
	CompletableFuture<Visit> change() {
		return visit(LockMode.EXCLUSIVE);
	}

	private CompletableFuture<Visit> visit(LockMode mode) {
		Instant begun = Instant.now();
		return CompletableFuture.supplyAsync(() -> new Visit(mode, begun, Instant.now()), this.later);
	}

	/**
	 * What somebody did with the prices.
	 *
	 * @param mode whether others could do it at the same time
	 * @param begun when it had its lock
	 * @param completed when it was done
	 */
	record Visit(LockMode mode, Instant begun, Instant completed) {

	}

}
