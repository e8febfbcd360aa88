package io.lockstarter;

import java.time.Duration;

/**
 * Told of what a holder may not notice by itself. All listeners are called on one thread
 * that belongs to the registry, in the order of the events; what they throw is logged and
 * has no other effect.
 */
public interface LockListener {

	/**
	 * A lease was lost. A passed deadline is told before the store can give the key to
	 * another holder, unless the whole process was paused or a listener takes its time.
	 * @param lease the lease
	 * @param cause why it was lost
	 */
	default void lost(Lease lease, LossCause cause) {
	}

	/**
	 * The release of a lease was not confirmed. Locally the key is free; the release is
	 * retried in the background until the ttl has passed.
	 * @param lease the lease
	 * @param failure what the store answered, or that it did not
	 */
	default void releaseUnconfirmed(Lease lease, LockStoreException failure) {
	}

	/**
	 * The registry was shut down and the grace time ran out while the lease was still
	 * held. It is renewed no more and left to its ttl.
	 * @param lease the lease
	 */
	default void abandoned(Lease lease) {
	}

	/**
	 * A key that another instance holds stays for longer than its ttl, because the clock
	 * of the store was set back. If its holder lives, its next renewal mends that; if it
	 * is gone, nobody gets the key before it expires, or is deleted by hand. Told once a
	 * minute at most, of one of the keys.
	 * @param key the key
	 * @param remaining for how long it stays unless it is renewed
	 * @param setBack by how much at least the clock was set back
	 */
	default void clockSetBack(String key, Duration remaining, Duration setBack) {
	}

}
