// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import org.jspecify.annotations.Nullable;
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

	/**
	 * Return what the registry did, unless that is a mock which a test did not teach it.
	 */
	static <T> T stubbed(@Nullable T returned, String method) {
		if (returned == null) {
			throw new IllegalStateException(
					"LockRegistry.%s returned null, as a mock does: stub it, or test with @AutoConfigureDistributedLock in place of a mock"
						.formatted(method));
		}
		return returned;
	}

}
