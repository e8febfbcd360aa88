/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
