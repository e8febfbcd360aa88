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
