// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

/**
 * Callback to run while a lock is held, which returns nothing; {@link LockedAction}
 * returns a result.
 *
 * @param <X> what the task may throw; inferred as unchecked for a lambda that throws
 * nothing
 * @since 0.1
 */
@FunctionalInterface
public interface LockedTask<X extends Throwable> {

	/**
	 * Run under the lock.
	 * @param scope gives the fencing token, and tells whether the lock is held still
	 * @throws X if the task fails
	 */
	void run(LockScope scope) throws X;

}
