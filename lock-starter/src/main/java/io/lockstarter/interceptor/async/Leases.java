// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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
	 * Release leases, each whatever comes of the others. What they protected is done.
	 * @return completes when whoever releases need not wait any longer; exceptionally
	 * only if a release could not even be begun
	 */
	public static CompletableFuture<Void> release(List<Lease> leases) {
		return (leases.size() == 1) ? release(leases.get(0))
				: CompletableFuture.allOf(leases.stream().map(Leases::release).toArray(CompletableFuture<?>[]::new));
	}

	private static CompletableFuture<Void> release(Lease lease) {
		try {
			return lease.closeAsync();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Pass on what came of an attempt. Leases for which nobody waits any more are
	 * released.
	 * @param grant completes with them, unless it is complete
	 * @param leases the leases; {@code null} if it failed
	 * @param failure why it failed
	 */
	public static void settle(CompletableFuture<List<Lease>> grant, @Nullable List<Lease> leases,
			@Nullable Throwable failure) {
		if (failure != null) {
			grant.completeExceptionally(cause(failure));
		}
		else if (leases != null && !grant.complete(leases)) {
			releaseAndForget(leases);
		}
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

	/**
	 * Return the failure of an asynchronous computation as it was thrown.
	 */
	public static Throwable cause(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

}
