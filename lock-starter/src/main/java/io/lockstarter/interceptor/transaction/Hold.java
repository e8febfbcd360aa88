// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.List;
import java.util.function.Predicate;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;

/**
 * What a blocking call holds while it runs.
 *
 * @since 0.1
 */
public interface Hold {

	/**
	 * Create the hold of a lock that the current thread has just entered.
	 * @param outermost whether a lease of it has no other hold
	 */
	static Hold of(LeasedLock lock, Predicate<Lease> outermost) {
		return new Hold() {

			@Override
			public List<Lease> leases() {
				return lock.leases();
			}

			@Override
			public List<Lease> ending() {
				return lock.leases().stream().filter(outermost).toList();
			}

			@Override
			public void release() {
				lock.unlock();
			}

		};
	}

	static Hold of(Lease lease) {
		return new Hold() {

			@Override
			public List<Lease> leases() {
				return List.of(lease);
			}

			@Override
			public List<Lease> ending() {
				return leases();
			}

			@Override
			public void release() {
				try (lease) {
					check();
				}
				// the store may have told only now that it does not know the lease
				check();
			}

			private void check() {
				try {
					lease.checkValid();
				}
				catch (IllegalStateException closed) {
					// in order, here or by the method itself
				}
			}

		};
	}

	/**
	 * Return the leases.
	 */
	List<Lease> leases();

	/**
	 * Return those of the leases that end with this hold, as long as no other follows.
	 */
	List<Lease> ending();

	/**
	 * Give it back, on the thread that has it.
	 * @throws LockLostException if a lease is known to be lost; it is given back all the
	 * same
	 */
	void release();

}
