// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;

/**
 * Listener for what a holder may not notice by itself, such as a lost lease, and for each
 * lock that is acquired, stays busy or is released. What a listener throws is logged and
 * has no other effect.
 * <p>
 * {@link #acquired}, {@link #busy} and {@link #released} are frequent. They are called on
 * one thread that belongs to the registry, in the order of the events; if the listeners
 * are so slow that 10,000 events wait for them, further ones are dropped, and a warning
 * is logged. The other methods are called on other threads of the registry: each listener
 * for one event at a time, in the order of the events, without waiting for other
 * listeners. Nothing of that is dropped. A class that implements no frequent method costs
 * nothing.
 *
 * @since 0.1
 */
public interface LockListener {

	/**
	 * Called when a lease was acquired. It may have been released meanwhile.
	 * @param lease the lease
	 * @param waited how long the acquirer waited
	 */
	default void acquired(LeaseInfo lease, Duration waited) {
	}

	/**
	 * Called when a key stayed busy for the wait time.
	 * @param event the key, how long the acquirer waited, and who holds it
	 */
	default void busy(LockBusyEvent event) {
	}

	/**
	 * Called when a lease was released by its holder, which held it up to then as far as
	 * known. Not called for a lease that was {@link #lost} before; one whose loss shows
	 * in the answer to its release is both.
	 * @param lease the lease
	 * @param held how long it was held
	 */
	default void released(LeaseInfo lease, Duration held) {
	}

	/**
	 * Called when a lease is lost. If its deadline has passed, this is called before the
	 * store can give the key to another holder, unless the whole process was paused or a
	 * listener takes its time.
	 * @param lease the lease
	 * @param cause why it was lost
	 */
	default void lost(LeaseInfo lease, LossCause cause) {
	}

	/**
	 * Called when the store did not confirm a release. In this JVM the key is free; the
	 * release is retried in the background until the ttl has passed.
	 * @param lease the lease
	 * @param failure the failure of the store
	 */
	default void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
	}

	/**
	 * Called when the registry is shut down and the grace time ran out while a lease was
	 * still held. The lease is not renewed any more and expires after its ttl.
	 * @param lease the lease
	 */
	default void abandoned(LeaseInfo lease) {
	}

	/**
	 * Called when a key that another instance holds stays for longer than its ttl,
	 * because the clock of the store was set back. If its holder lives, its next renewal
	 * corrects that; if it is gone, nobody gets the key before it expires or is deleted
	 * by hand. Called once a minute at most, for one of the keys.
	 * @param key the key
	 * @param remaining for how long it stays unless it is renewed
	 * @param setBack by how much at least the clock was set back
	 */
	default void clockSetBack(String key, Duration remaining, Duration setBack) {
	}

}
