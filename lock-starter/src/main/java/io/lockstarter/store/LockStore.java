// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import org.jspecify.annotations.Nullable;

/**
 * Where locks live, shared by all instances. A handful of atomic commands; the engine
 * does the rest.
 * <p>
 * No method blocks or throws. A command ends in one of three ways: its future completes,
 * which is the truth at the store; it fails with a
 * {@link io.lockstarter.LockStoreException} whose outcome is known, and then had no
 * effect; or it fails otherwise, and then it may have been executed or may still be.
 * Commands of one key take effect in the order in which they were issued, unless the
 * connection is lost between them; but an acquisition that does not queue, a release that
 * does neither, and a renewal may come behind what was issued before they were answered.
 * A command may be executed twice (a client that repeats it after a lost reply), and
 * twice must be as good as once. Cancelling the future of a command withdraws it if it
 * was not sent yet.
 * <p>
 * An <em>owner id</em> is {@code <instance id>:<sequence number>}, or
 * {@code <instance id>:g<first token>} where the store granted the key to an instance.
 *
 * @since 0.1
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Take the key if it is free, reserved for this instance, or held by this owner id
	 * already; with its ttl in the same step, or more if this owner id has more left. If
	 * it expired while instances wait, whoever stands in the queue too, and asks before
	 * the first of them, should have it passed on to that one. Otherwise, on request,
	 * stand in the key's queue (at the end, once) and tell the holder's instance that the
	 * key is contended.
	 * <p>
	 * Or take it only if this owner id {@linkplain Acquire#held() holds it} already, in
	 * the same step: if not, nothing is done, and the key counts as busy.
	 * @param command what to acquire
	 * @return the reply
	 */
	CompletableFuture<AcquireReply> acquire(Acquire command);

	/**
	 * Take all keys: like {@link #acquire} for each of them if none is busy. No key is
	 * enqueued. A store that can do it in one atomic step should, and takes nothing if a
	 * key is busy. By default the keys are taken in the order of the commands, up to one
	 * that is busy, and the reply tells those that the caller has to release.
	 * @param commands what to acquire, each key once; of one instance
	 * @return the reply
	 */
	default CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		return KeyByKeyAcquisition.start(this, commands);
	}

	/**
	 * Return whether this store acquires in {@link LockMode#SHARED}, too. Whoever wants
	 * to share a key that is shared joins its holders, unless somebody in the queue wants
	 * it exclusively: then he stands behind him. When a key becomes free for one who
	 * shares, all in the queue who want to share it are let in together.
	 * @return whether keys can be shared; false by default
	 */
	default boolean isShareable() {
		return false;
	}

	/**
	 * Share a key from now on, if this owner id holds it exclusively, in one step:
	 * whoever waits to share it is let in, and nobody who wants it exclusively comes in
	 * between. Those who come get larger tokens than its own.
	 * @param command what to share, and for how long at least
	 * @return whether the owner id held the key
	 */
	default CompletableFuture<Boolean> share(Renew command) {
		return CompletableFuture.failedFuture(
				new UnsupportedOperationException("The lock store " + getClass().getName() + " has no shared locks"));
	}

	/**
	 * Return for how long a key stays with the instance that a release granted it to,
	 * unless that renews it. A store that grants keys does so in the step of the release,
	 * with tokens larger than all before, to instances that asked for it by
	 * {@link Queueing#GRANTED}; and it says in {@link Busy} which tokens are still to
	 * come.
	 * @return for how long; zero, the default, if keys are reserved but not granted
	 */
	default Duration grantTerm() {
		return Duration.ZERO;
	}

	/**
	 * Release the key if this owner id holds it, reserve it for the next instance in the
	 * queue that listens, or grant it to that one, and tell that instance alone.
	 * Instances that do not listen any more leave the queue.
	 * @param command what to release
	 * @return whether the owner id held the key
	 */
	CompletableFuture<Boolean> release(Release command);

	/**
	 * Set the ttl of each key anew, if its owner id still holds it.
	 * @param commands what to renew, at most {@link #MAX_BATCH}, all in the same
	 * {@link #partition}
	 * @return for each command, in order, whether the owner id holds the key;
	 * {@code null} for one whose outcome is unknown
	 */
	CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands);

	/**
	 * Leave the key without a holder for a while, if this owner id holds it or left it
	 * so: set its ttl anew, and let no command of this owner id find it any more, such as
	 * an acquisition or a renewal that was delayed on its way; but for this one and
	 * {@link #forceRelease}. Nobody is woken when it is over, but all who wait are now,
	 * as by a reservation, to ask for how long it stays. By default it is renewed, and
	 * such a command may change that.
	 * @param command what to keep, and for how long
	 * @return whether the owner id held the key
	 */
	default CompletableFuture<Boolean> keep(Renew command) {
		return renew(List.of(command)).thenApply((held) -> {
			Boolean known = held.get(0);
			if (known == null) {
				throw new LockStoreException("The store cannot tell whether it has the key", true, null);
			}
			return known;
		});
	}

	/**
	 * Return the longest ttl that this store can keep a promise for.
	 * @return the longest ttl; the registry refuses longer ones
	 */
	default Duration maxTtl() {
		return LockOptions.MAX_DURATION;
	}

	/**
	 * Return the part of the store that a key is in. Parts may fail each on its own. The
	 * same key is always in the same part.
	 * @param key the key
	 * @return the number of the part
	 */
	default int partition(String key) {
		return 0;
	}

	/**
	 * Return how many parts the store has.
	 * @return the number; those of the parts are smaller
	 */
	default int partitions() {
		return 1;
	}

	/**
	 * Leave the queue of a key; a key that is reserved for this instance goes to the next
	 * one.
	 * @param key the key
	 * @param instance the instance id
	 * @return completes when done
	 */
	CompletableFuture<?> leave(String key, String instance);

	/**
	 * Release the key in place of its holder, if this owner id holds it: like
	 * {@link #release}, and the instance of the owner id is told by a signal, and again
	 * by the next command with which that owner id looks for the key.
	 * @param key the key
	 * @param ownerId who holds it
	 * @return whether the owner id held the key
	 */
	default CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return cannotBeInspected();
	}

	/**
	 * Return all that is known of a key.
	 * @param key the key
	 * @return what is known
	 */
	default CompletableFuture<StoredLockDetails> inspect(String key) {
		return cannotBeInspected();
	}

	/**
	 * Return a page of the keys that are held or reserved. Must not delay other commands.
	 * @param cursor where to go on; {@code null} for the first page
	 * @param limit how many keys there should be; their number may differ
	 * @return the page
	 */
	default CompletableFuture<StoredLocks> scan(@Nullable String cursor, int limit) {
		return cannotBeInspected();
	}

	/**
	 * Return a page of the keys that are held or reserved and begin with a text. By
	 * default others are left out of a page of all; a store that can do without them
	 * should.
	 * @param prefix what the keys begin with
	 * @param cursor where to go on; {@code null} for the first page
	 * @param limit how many keys there should be; their number may differ
	 * @return the page
	 */
	default CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return scan(cursor, limit).thenApply((page) -> new StoredLocks(
				page.locks().stream().filter((lock) -> lock.key().startsWith(prefix)).toList(), page.next()));
	}

	private <T> CompletableFuture<T> cannotBeInspected() {
		return CompletableFuture.failedFuture(
				new UnsupportedOperationException("The lock store " + getClass().getName() + " cannot be inspected"));
	}

	/**
	 * Start to receive the signals for an instance. Called once, at its first contention.
	 * @param instance the instance id
	 * @param signals whom to tell
	 */
	void listen(String instance, Signals signals);

	/**
	 * Receive no more signals for an instance, which was stopped.
	 * @param instance the instance id
	 */
	default void ignore(String instance) {
	}

	/**
	 * Get ready for commands without waiting for it, so that the first one need not
	 * connect. Commands may be issued meanwhile; they are sent when the store is ready.
	 * Called again when the registry is started again.
	 * @param listener told of later connections
	 * @return completes, always normally, when the store is ready or the first attempt to
	 * get ready has failed
	 */
	default CompletableFuture<?> open(ConnectionListener listener) {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Return how many connections are open at present.
	 * @return the number of connections; zero for a store without any
	 */
	default int connectionCount() {
		return 0;
	}

	/**
	 * Give up all connections. Commands issued later reopen them. May take a moment.
	 */
	@Override
	void close();

	/**
	 * The largest number of renewals in one command.
	 */
	int MAX_BATCH = 500;

	/**
	 * How an instance waits for a key that is busy.
	 */
	enum Queueing {

		/**
		 * It does not.
		 */
		NONE,

		/**
		 * It stands in the queue until the key is reserved for it, by
		 * {@link Signals#reserved}, and asks for it then.
		 */
		RESERVED,

		/**
		 * It stands in the queue until the key is granted to it, by
		 * {@link Signals#granted}, or is reserved for it.
		 */
		GRANTED

	}

	/**
	 * Acquire a key.
	 *
	 * @param key the key
	 * @param instance the instance id
	 * @param ownerId who is to hold it
	 * @param ttl for how long, unless renewed; in whole milliseconds
	 * @param queueing how to wait if the key is busy
	 * @param tokens how many fencing tokens to reserve, at least one
	 * @param queued whether the instance may stand in the queue already, and so has to
	 * leave it with this acquisition
	 * @param mode whether others may hold the key at the same time
	 * @param held whether the owner id has to hold the key already, alone: it was passed
	 * on in its instance, which has to know if it was not held for all of that time
	 */
	record Acquire(String key, String instance, String ownerId, Duration ttl, Queueing queueing, int tokens,
			boolean queued, LockMode mode, boolean held) {

		/**
		 * Create a command for an owner id that need not hold the key.
		 * @param key the key
		 * @param instance the instance id
		 * @param ownerId who is to hold it
		 * @param ttl for how long, unless renewed; in whole milliseconds
		 * @param queueing how to wait if the key is busy
		 * @param tokens how many fencing tokens to reserve, at least one
		 * @param queued whether the instance may stand in the queue already
		 * @param mode whether others may hold the key at the same time
		 */
		public Acquire(String key, String instance, String ownerId, Duration ttl, Queueing queueing, int tokens,
				boolean queued, LockMode mode) {
			this(key, instance, ownerId, ttl, queueing, tokens, queued, mode, false);
		}

		/**
		 * Create a command for an instance that is never granted the key by a release.
		 * @param key the key
		 * @param instance the instance id
		 * @param ownerId who is to hold it
		 * @param ttl for how long, unless renewed; in whole milliseconds
		 * @param enqueue whether to stand in the queue if the key is busy
		 * @param tokens how many fencing tokens to reserve, at least one
		 * @param queued whether the instance may stand in the queue already
		 * @param mode whether others may hold the key at the same time
		 */
		public Acquire(String key, String instance, String ownerId, Duration ttl, boolean enqueue, int tokens,
				boolean queued, LockMode mode) {
			this(key, instance, ownerId, ttl, enqueue ? Queueing.RESERVED : Queueing.NONE, tokens, queued, mode);
		}

		/**
		 * Create a command for an exclusive lock.
		 * @param key the key
		 * @param instance the instance id
		 * @param ownerId who is to hold it
		 * @param ttl for how long, unless renewed; in whole milliseconds
		 * @param enqueue whether to stand in the queue if the key is busy
		 * @param tokens how many fencing tokens to reserve, at least one
		 * @param queued whether the instance may stand in the queue already
		 */
		public Acquire(String key, String instance, String ownerId, Duration ttl, boolean enqueue, int tokens,
				boolean queued) {
			this(key, instance, ownerId, ttl, enqueue, tokens, queued, LockMode.EXCLUSIVE);
		}

		/**
		 * Create a command for an exclusive lock and an instance that may stand in the
		 * queue.
		 * @param key the key
		 * @param instance the instance id
		 * @param ownerId who is to hold it
		 * @param ttl for how long, unless renewed; in whole milliseconds
		 * @param enqueue whether to stand in the queue if the key is busy
		 * @param tokens how many fencing tokens to reserve, at least one
		 */
		public Acquire(String key, String instance, String ownerId, Duration ttl, boolean enqueue, int tokens) {
			this(key, instance, ownerId, ttl, enqueue, tokens, true);
		}

		/**
		 * Return whether to stand in the queue if the key is busy.
		 * @return whether to stand in the queue
		 */
		public boolean enqueue() {
			return this.queueing != Queueing.NONE;
		}

	}

	/**
	 * Release a key.
	 *
	 * @param key the key
	 * @param instance the instance id
	 * @param ownerId who holds it
	 * @param queueing whether to stand at the end of the queue again, in the same step,
	 * and how
	 * @param tokens how many fencing tokens to be granted with the key, at least one
	 * @param contended whether others are known to wait for the key, or may share or have
	 * it by now; a hint, which the truth at the store may belie
	 */
	record Release(String key, String instance, String ownerId, Queueing queueing, int tokens, boolean contended) {

		/**
		 * Create a command for an instance that is never granted the key by a release.
		 * @param key the key
		 * @param instance the instance id
		 * @param ownerId who holds it
		 * @param requeue whether to stand at the end of the queue again
		 */
		public Release(String key, String instance, String ownerId, boolean requeue) {
			this(key, instance, ownerId, requeue ? Queueing.RESERVED : Queueing.NONE, 1, requeue);
		}

		/**
		 * Return whether to stand at the end of the queue again, in the same step.
		 * @return whether to stand in the queue
		 */
		public boolean requeue() {
			return this.queueing != Queueing.NONE;
		}

	}

	/**
	 * Renew a key.
	 *
	 * @param key the key
	 * @param ownerId who holds it
	 * @param ttl for how long from now; in whole milliseconds
	 * @param shared whether others may share it; a hint, which the truth at the store may
	 * belie
	 */
	record Renew(String key, String ownerId, Duration ttl, boolean shared) {

		/**
		 * Create a command for a key that is not known to be shared.
		 * @param key the key
		 * @param ownerId who holds it
		 * @param ttl for how long from now; in whole milliseconds
		 */
		public Renew(String key, String ownerId, Duration ttl) {
			this(key, ownerId, ttl, false);
		}

	}

	/**
	 * The reply to {@link Acquire}.
	 */
	sealed interface AcquireReply {

	}

	/**
	 * The key is held by the owner id of the command.
	 *
	 * @param firstToken the first fencing token that may be used
	 * @param lastToken the last one; larger ones belong to later acquisitions
	 * @param contended whether other instances are known to stand in the queue
	 */
	record Acquired(long firstToken, long lastToken, boolean contended) implements AcquireReply {
	}

	/**
	 * The key is held by another owner id, or reserved for another instance.
	 *
	 * @param holder the other owner id, if known
	 * @param remaining its remaining ttl; {@code null} if the key does not expire
	 * @param setBack by how much at least the clock of the store was set back since the
	 * key was acquired, if that is why it remains for longer than was asked for; else
	 * zero
	 * @param nextToken a fencing token that is larger than all that were handed out, and
	 * not larger than the next one; zero if unknown
	 */
	record Busy(@Nullable String holder, @Nullable Duration remaining, Duration setBack,
			long nextToken) implements AcquireReply {

		/**
		 * Create the reply of a store that does not grant keys.
		 * @param holder the other owner id, if known
		 * @param remaining its remaining ttl; {@code null} if the key does not expire
		 * @param setBack by how much the clock of the store was set back
		 */
		public Busy(@Nullable String holder, @Nullable Duration remaining, Duration setBack) {
			this(holder, remaining, setBack, 0);
		}

		/**
		 * Create the reply of a store whose clock goes on steadily.
		 * @param holder the other owner id, if known
		 * @param remaining its remaining ttl; {@code null} if the key does not expire
		 */
		public Busy(@Nullable String holder, @Nullable Duration remaining) {
			this(holder, remaining, Duration.ZERO);
		}

	}

	/**
	 * The reply to {@link LockStore#acquireAll}.
	 *
	 * @param acquired the replies for all keys, in the order of the commands; if one was
	 * busy, for those that are taken all the same, which are the first ones
	 * @param busyKey the key that was busy; {@code null} if all are acquired
	 * @param busy what is known of that key; {@code null} if all are acquired
	 */
	record AcquireAllReply(List<Acquired> acquired, @Nullable String busyKey, @Nullable Busy busy) {
	}

	/**
	 * Told of the connection to the store, and what commands find out besides their
	 * answer. Called on a thread of the store; must not block.
	 */
	interface ConnectionListener {

		/**
		 * Commands go over another connection than before, perhaps to another server.
		 * What was confirmed up to now may be unknown there, and places in queues may be
		 * gone.
		 */
		void reconnected();

		/**
		 * Commands for a part of the store were sent over different connections, so that
		 * those sent up to now may yet be executed after those to come. Told before
		 * {@link #reconnected}.
		 * @param partition the {@linkplain LockStore#partition number} of the part
		 * @param ago how long ago it was
		 */
		void reordered(int partition, Duration ago);

		/**
		 * A command found that its owner id lost the key to a {@link #forceRelease}. Told
		 * before the command completes.
		 * @param key the key
		 * @param ownerId the owner id
		 */
		default void forced(String key, String ownerId) {
		}

	}

	/**
	 * What a store tells an instance. Called on a thread of the store; must not block.
	 * Any signal may be lost, late, or sent several times, as by each of several servers.
	 */
	interface Signals {

		/**
		 * The key is, or was, reserved for this instance.
		 * @param key the key
		 */
		void reserved(String key);

		/**
		 * The key is, or was, granted to this instance by a release, for the
		 * {@linkplain LockStore#grantTerm() term} of grants. It must release what it does
		 * not use.
		 * @param key the key
		 * @param ownerId who holds it: an owner id of this instance that the store made
		 * up of the first token
		 * @param tokens what came with it
		 */
		default void granted(String key, String ownerId, Acquired tokens) {
		}

		/**
		 * Another instance waits for a key that this instance holds.
		 * @param key the key
		 */
		void contended(String key);

		/**
		 * The key was taken from an owner id of this instance by a {@link #forceRelease}.
		 * @param key the key
		 * @param ownerId the owner id
		 */
		default void forced(String key, String ownerId) {
		}

		/**
		 * Signals are, or are no longer, received.
		 * @param active whether signals are received from now on
		 */
		void listening(boolean active);

	}

}
