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
package io.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.interceptor.transaction.Hold;

/**
 * Strategy for the leases under which a method runs.
 */
interface LeaseSource {

	/**
	 * Acquire what a blocking call holds.
	 * @throws io.lockstarter.LockNotAcquiredException if somebody else has it
	 */
	Hold acquire(LockCall call) throws InterruptedException;

	/**
	 * Acquire the leases of an asynchronous call.
	 * @return the future leases; whoever completes it gives up the attempt
	 */
	CompletableFuture<List<Lease>> acquireAsync(LockCall call);

}
