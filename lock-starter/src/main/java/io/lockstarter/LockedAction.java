// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Callback to run while a lock is held, which returns a result; {@link LockedTask}
 * returns none.
 *
 * @param <T> the type of the result
 * @param <X> what the action may throw; inferred as unchecked for a lambda that throws
 * nothing
 * @since 0.1
 */
@FunctionalInterface
public interface LockedAction<T extends @Nullable Object, X extends Throwable> {

	/**
	 * Run under the lock.
	 * @param scope gives the fencing token, and tells whether the lock is held still
	 * @return the result
	 * @throws X if the action fails
	 */
	T run(LockScope scope) throws X;

}
