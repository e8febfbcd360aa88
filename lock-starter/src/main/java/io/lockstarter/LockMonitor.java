// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.List;

import io.lockstarter.Lease;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Told of everything that happens to the locks of a registry, when it happens: for
 * metrics and traces. For whatever takes longer there is
 * {@link io.lockstarter.LockListener}.
 * <p>
 * Except for {@link #waiting}, it is called in the middle of what the engine does, on any
 * thread and with the key locked in this JVM. It must not block, throw, or use the
 * registry. Times are in nanoseconds.
 *
 * @since 0.1
 */
public interface LockMonitor {

	/**
	 * A monitor that does nothing.
	 */
	LockMonitor NONE = new LockMonitor() {
	};

	/**
	 * Called before an acquirer begins to wait, on its thread and without anything
	 * locked.
	 * @param key what it wants; of several keys all, separated by a comma
	 * @param name the name of the lock
	 * @return told when the wait is over; {@code null} if that is of no interest
	 */
	default @Nullable WaitObserver waiting(String key, String name) {
		return null;
	}

	/**
	 * Called when a lease is acquired.
	 * @param lease the lease
	 * @param waited how long the acquirer waited
	 * @param handedOn whether another holder in this JVM handed the lock on, so that the
	 * store was not asked
	 */
	default void acquired(Lease lease, long waited, boolean handedOn) {
	}

	/**
	 * Called when an acquirer ends without a lease. For several keys, it is called for
	 * the one that decided.
	 * @param key what it wanted
	 * @param name the name of the lock
	 * @param reason why
	 * @param waited how long it waited
	 * @param holders who has the key; empty if not known
	 */
	default void notAcquired(String key, String name, Reason reason, long waited, List<String> holders) {
	}

	/**
	 * Called when a holder releases a lease that it held up to then, as far as known.
	 * {@link #lost} follows if the store answers that it did not.
	 * @param lease the lease
	 * @param held how long it was held
	 */
	default void released(Lease lease, long held) {
	}

	/**
	 * Called when a lease is lost.
	 * @param lease the lease
	 * @param cause why it was lost
	 */
	default void lost(Lease lease, LossCause cause) {
	}

	/**
	 * Called when the store did not confirm a release.
	 * @param lease the lease
	 */
	default void releaseUnconfirmed(Lease lease) {
	}

	/**
	 * Called when the store confirmed a renewal.
	 * @param lease the lease
	 * @param margin what was left of its time
	 * @param ttl the ttl of the lease
	 * @param late whether half of the ttl had passed since the one before, so that it was
	 * repeated or should have been
	 */
	default void renewed(Lease lease, long margin, long ttl, boolean late) {
	}

	/**
	 * Reasons why a lock was not acquired.
	 */
	enum Reason {

		/**
		 * It stayed busy.
		 */
		BUSY,

		/**
		 * The store failed or did not answer, or the registry is shut down.
		 */
		UNAVAILABLE,

		/**
		 * The acquirer was interrupted, or gave up.
		 */
		INTERRUPTED

	}

	/**
	 * Observer of a wait that began.
	 */
	interface WaitObserver {

		/**
		 * Called when the wait is over, on any thread.
		 * @param lease the lease, the first one of several; {@code null} if none was
		 * acquired
		 * @param failure why none was acquired; {@code null} if the key stayed busy and
		 * the acquirer is told so by a value
		 */
		void ended(@Nullable Lease lease, @Nullable Throwable failure);

	}

}
