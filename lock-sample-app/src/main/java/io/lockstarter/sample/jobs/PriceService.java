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
