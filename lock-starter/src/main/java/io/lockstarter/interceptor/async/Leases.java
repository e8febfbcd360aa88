// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * Utility methods for the leases of a call.
 *
 * @since 0.1
 */
public final class Leases {

	private Leases() {
	}

	/**
	 * Release leases. What they protected is done.
	 * @return completes, always normally, when whoever releases need not wait any longer
	 */
	public static CompletableFuture<Void> release(List<Lease> leases) {
		return (leases.size() == 1) ? leases.get(0).closeAsync()
				: CompletableFuture.allOf(leases.stream().map(Lease::closeAsync).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Release leases without waiting for it.
	 */
	public static void releaseAndForget(List<Lease> leases) {
		var unused = release(leases);
	}

	/**
	 * Return the first loss of a lease, if there was one. May also be asked when the
	 * leases are released.
	 */
	public static @Nullable LockLostException lossOf(LockScope scope) {
		for (Lease lease : scope.leases()) {
			try {
				lease.checkValid();
			}
			catch (LockLostException ex) {
				return ex;
			}
			catch (IllegalStateException ex) {
				// released
			}
		}
		return null;
	}

}
