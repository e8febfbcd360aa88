// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedPermit;

import org.springframework.stereotype.Service;

/**
 * Asks a payment provider who allows five calls at a time, whichever instance makes them,
 * and who takes half a second. The others wait for a permit, without a thread.
 */
@Service
class PaymentService {

	private final Executor later = CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);

	@DistributedPermit(key = "payments", limit = "${sample.payments:5}", waitTime = "10s")
	CompletableFuture<Payment> pay() {
		String permit = LockScope.current().leases().get(0).key();
		Instant begun = Instant.now();
		return CompletableFuture.supplyAsync(() -> new Payment(permit, begun, Instant.now()), this.later);
	}

}
