// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Shows which locks are held and who waits, in this instance and at the store, and
 * releases a lock whose holder is stuck. {@link #held()} and {@link #waiting()} ask
 * nobody; the other methods ask the store and never block.
 * <p>
 * Futures fail with {@link LockStoreException} if the store rejects a command or does not
 * answer in time, and with {@link UnsupportedOperationException} if it cannot be
 * inspected. Implementations are thread-safe.
 * <p>
 * Applications do not implement this interface. Methods that are added later have a
 * default, so that whoever does, in a test, still compiles. The records are to be read: a
 * component may be added to each.
 *
 * @since 0.1
 */
public interface LockInspector {

	/**
	 * Return the id of this instance, with which the owner ids of its locks begin.
	 * @return the instance id
	 */
	String instanceId();

	/**
	 * Return the locks that this instance holds now.
	 * @return the locks, in the order of their keys
	 */
	List<HeldLock> held();

	/**
	 * Return who waits for a lock in this instance now. An acquirer of several keys waits
	 * for one of them at a time.
	 * @return the callers, in the order of their keys, and for each key in the order in
	 * which they get it
	 */
	List<WaitingCaller> waiting();

	/**
	 * Ask the store for all that it knows of a key.
	 * @param key the key
	 * @return what the store answers
	 */
	CompletableFuture<StoredLockDetails> inspect(String key);

	/**
	 * Ask the store which keys are held, by whatever instance. A page is as long as the
	 * store finds it, from nothing to about twice the limit. A lock that is held all the
	 * time is on one of the pages; others may be missing, or be there twice.
	 * @param cursor where to go on, as the page before says; {@code null} for the first
	 * page
	 * @param limit how many locks a page should have; 1 to 1000
	 * @return the page
	 */
	default CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return scan("", cursor, limit);
	}

	/**
	 * Ask the store which keys are held that begin with a text, by whatever instance, as
	 * {@link #scan(String, int)} does.
	 * @param prefix what the keys begin with; empty for all
	 * @param cursor where to go on, as the page before says; {@code null} for the first
	 * page
	 * @param limit how many locks a page should have; 1 to 1000
	 * @return the page
	 */
	CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit);

	/**
	 * Release a lock in place of its holder: the next in line gets it at once. The
	 * instance of the holder is told, and loses its lease with {@link LossCause#FORCED}.
	 * Until it knows, it may go on; only a resource that checks fencing tokens refuses
	 * what it writes then.
	 * @param key the key
	 * @param ownerId the owner id to take it from; {@code null} for all who hold it now.
	 * An owner id covers all holders to whom one instance hands the lock on; only a
	 * holder that asked the store anew is kept
	 * @return whether it was held, and is not any more
	 */
	CompletableFuture<Boolean> forceRelease(String key, @Nullable String ownerId);

	/**
	 * Return whether locks can be acquired. Acquires one that is its own, and gives it
	 * back, if the last such check is 5 seconds ago, or found that none can be acquired,
	 * or if a command failed since. Neither listeners nor metrics are told of that lock.
	 * @return the status; never fails, and is there within 3 seconds even if the store
	 * does not answer
	 */
	CompletableFuture<StoreStatus> checkStore();

	/**
	 * A lock that this instance holds.
	 *
	 * @param key the key
	 * @param name the name of the lock, as metrics have it
	 * @param ownerId who holds it, as the store knows it
	 * @param fencingToken the fencing token of the lease
	 * @param since when the lease was granted
	 * @param deadline when the lease is lost unless it is renewed
	 * @param thread the thread that acquired it; {@code null} if it did not wait for it
	 */
	record HeldLock(String key, String name, String ownerId, long fencingToken, Instant since, Instant deadline,
			@Nullable Thread thread) {
	}

	/**
	 * Somebody in this instance who waits for a lock.
	 *
	 * @param key the key
	 * @param name the name of the lock, as metrics have it
	 * @param since since when
	 * @param until when the wait time is over; {@code null} for as long as it takes
	 * @param thread the thread that waits; {@code null} for an asynchronous caller
	 */
	record WaitingCaller(String key, String name, Instant since, @Nullable Instant until, @Nullable Thread thread) {
	}

	/**
	 * What the store says of a lock.
	 *
	 * @param key the key
	 * @param ownerIds who holds it, several if several share it; empty if nobody does
	 * @param shared whether who holds it shares it, so that others may join
	 * @param reservedFor the instance for which the key is reserved, as it was released a
	 * moment ago; {@code null} if it is not
	 * @param remaining for how long, unless renewed; {@code null} if it is free, or does
	 * not expire
	 */
	record StoredLock(String key, List<String> ownerIds, boolean shared, @Nullable String reservedFor,
			@Nullable Duration remaining) {

		public StoredLock {
			ownerIds = List.copyOf(ownerIds);
		}

		/**
		 * Return whether somebody holds the lock.
		 * @return whether there is an owner id
		 */
		public boolean isHeld() {
			return !this.ownerIds.isEmpty();
		}

		/**
		 * Return whether the lock is neither held nor kept, for its minimum hold or for
		 * the instance that is next.
		 * @return whether anybody could have it
		 */
		public boolean isFree() {
			return !isHeld() && this.reservedFor == null && this.remaining == null;
		}

	}

	/**
	 * All that the store says of a lock.
	 *
	 * @param lock the lock
	 * @param queue the instances that wait, the next one first; one hundred at most
	 * @param lastToken the last fencing token that was handed out or reserved, of
	 * whatever lock; {@code null} if that is forgotten
	 */
	record StoredLockDetails(StoredLock lock, List<QueuedInstance> queue, @Nullable Long lastToken) {
	}

	/**
	 * An instance that waits for a lock.
	 *
	 * @param instance the instance id
	 * @param since since when, by the clock of the store; {@code null} if it does not say
	 */
	record QueuedInstance(String instance, @Nullable Instant since) {
	}

	/**
	 * A page of locks.
	 *
	 * @param locks the locks
	 * @param next where to go on; {@code null} after the last page
	 */
	record StoredLocks(List<StoredLock> locks, @Nullable String next) {
	}

	/**
	 * Whether this instance can acquire locks.
	 *
	 * @param state the state
	 * @param lastAnswer about when the last command was answered; {@code null} if none
	 * was
	 * @param unavailableSince since when no lock could be acquired; {@code null} if all
	 * is well
	 * @param failure why no lock could be acquired; {@code null} if all is well
	 * @param tolerance for how long the store may be silent before leases are lost: two
	 * thirds of the shortest ttl in use
	 * @param listening whether signals of other instances are received; {@code null} if
	 * none were needed so far
	 */
	record StoreStatus(State state, @Nullable Instant lastAnswer, @Nullable Instant unavailableSince,
			@Nullable String failure, Duration tolerance, @Nullable Boolean listening) {

		/**
		 * How it stands.
		 */
		public enum State {

			/**
			 * A lock could be acquired.
			 */
			ANSWERING,

			/**
			 * The store does not answer, or is about to serve, but no lease of this
			 * instance is lost by that yet.
			 */
			SILENT,

			/**
			 * The store answers, but no lock can be acquired: it is full, for example, or
			 * a replica, or a permission is missing.
			 */
			REFUSING,

			/**
			 * No lock could be acquired since the registry was started; or the store is
			 * silent, and a lease of this instance was lost since a lock could be
			 * acquired last, or may be lost at any moment.
			 */
			UNAVAILABLE,

			/**
			 * The registry is shut down.
			 */
			STOPPED

		}

	}

}
