// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.List;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;

/**
 * What a blocking call holds while it runs.
 *
 * @since 0.1
 */
public interface Hold {

	static Hold of(LeasedLock lock) {
		return new Hold() {

			@Override
			public List<Lease> leases() {
				return lock.leases();
			}

			@Override
			public boolean isOutermost() {
				return lock.holdCount() == 1;
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
			public boolean isOutermost() {
				return true;
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
	 * Return whether the leases end with this hold.
	 */
	boolean isOutermost();

	/**
	 * Give it back, on the thread that has it.
	 * @throws LockLostException if a lease is known to be lost; it is given back all the
	 * same
	 */
	void release();

}
