// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;

/**
 * What a {@link Lease} tells of itself: all that a {@link LockListener} may know of it,
 * which can neither release nor extend it. May be used by any thread, and does no I/O.
 * <p>
 * Applications do not implement this interface. Methods that are added later have a
 * default, so that whoever does, in a test, still compiles.
 *
 * @since 0.1
 */
public interface LeaseInfo {

	/**
	 * Return what is locked.
	 * @return the key
	 */
	String key();

	/**
	 * Return what the lock is called in metrics and traces. Many keys have the same name.
	 * @return the {@link LockOptions#name() name}
	 */
	String name();

	/**
	 * Return who holds the key in the store: the instance id, a colon and a number,
	 * before which there may be a letter. Other instances see it as the
	 * {@link LockNotAcquiredException#holders() holder}.
	 * @return the owner id
	 */
	String ownerId();

	/**
	 * Return the fencing token: a number that grows with every acquisition of the key;
	 * leases of one instance that share the key may have the same. A resource that
	 * refuses a smaller token than it has seen is safe even from a holder that was paused
	 * and does not know yet that it lost its lease.
	 * @return the token
	 */
	long fencingToken();

	/**
	 * Return the ttl with which the key was acquired, and is renewed.
	 * @return the ttl
	 */
	Duration ttl();

	/**
	 * Return whether the lease is held: neither closed nor lost. Does no I/O.
	 * @return whether the lease is held
	 */
	boolean isValid();

	/**
	 * Return how long the lease is held at least, if it is not renewed any more. Does no
	 * I/O.
	 * @return the time up to the deadline; zero once the lease is closed or lost
	 */
	Duration remaining();

	/**
	 * Return whether the lease is renewed while its holder has it: not if it never is,
	 * nor once its maximum hold is over. Of a lease that was lost, whether it was to be
	 * renewed still. Does no I/O.
	 * @return whether renewals go on
	 */
	default boolean isRenewed() {
		return true;
	}

}
