// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;

/**
 * What a blocking call holds while it runs.
 *
 * @param held gives the leases
 * @param outermost whether one of them has no other hold
 * @param end gives them back
 * @since 0.1
 */
public record Hold(Supplier<List<Lease>> held, Predicate<Lease> outermost, Runnable end) {

	/**
	 * Create the hold of a lock that the current thread has just entered.
	 */
	public static Hold of(LeasedLock lock, Predicate<Lease> outermost) {
		return new Hold(lock::leases, outermost, lock::unlock);
	}

	public static Hold of(Lease lease) {
		return new Hold(() -> List.of(lease), (only) -> true, () -> end(lease));
	}

	private static void end(Lease lease) {
		try (lease) {
			check(lease);
		}
		// the store may have told only now that it does not know the lease
		check(lease);
	}

	private static void check(Lease lease) {
		try {
			lease.checkValid();
		}
		catch (IllegalStateException closed) {
			// in order, here or by the method itself
		}
	}

	public List<Lease> leases() {
		return this.held.get();
	}

	/**
	 * Return those of the leases that end with this hold, as long as no other follows.
	 */
	List<Lease> ending() {
		return leases().stream().filter(this.outermost).toList();
	}

	/**
	 * Give it back, on the thread that has it.
	 * @throws LockLostException if a lease is known to be lost; it is given back all the
	 * same
	 */
	public void release() {
		this.end.run();
	}

}
