// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which all acquirers of one key in this JVM meet, first in, first out, so
 * that the JVM is a single {@link Contender} at the store. When a lease is released its
 * ownership is passed to the next waiter without a round trip, or the key is released at
 * the store. The queue lives from the first acquirer to the last release and is then
 * retired. How it works is explained in {@code package-info.java}.
 * <p>
 * Here is its mutex, and what others do to the key under it: come, give up, end a lease,
 * bring a signal. What becomes of the key then is decided by {@link KeyMoves}.
 */
final class LocalQueue implements Lessor {

	private final ReentrantLock mutex = new ReentrantLock();

	private final String key;

	private final Services services;

	private final Contender contender;

	private final CurrentLeases current;

	private final Waiters waiters;

	private final KeyMoves moves;

	private boolean closed;

	LocalQueue(String key, Services services) {
		this.key = key;
		this.services = services;
		this.contender = new Contender(key, services);
		this.current = new CurrentLeases(this, services);
		this.waiters = new Waiters(key, services, this.contender, this.current);
		this.moves = new KeyMoves(this, services, this.waiters, this.contender, this.current);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public long now() {
		return this.services.now();
	}

	/**
	 * Return the leases that are out, those of one ownership after each other. May be
	 * called without the mutex.
	 */
	Collection<DefaultLease> leases() {
		return this.current.leases();
	}

	@Override
	public void locked(Runnable transition) {
		this.mutex.lock();
		try {
			transition.run();
		}
		finally {
			unlock();
		}
	}

	private <T extends @Nullable Object> T transition(Supplier<T> transition) {
		this.mutex.lock();
		try {
			return transition.get();
		}
		finally {
			unlock();
		}
	}

	/**
	 * Unlock. The outermost transition is completed first, and whoever was decided is
	 * told last: what they do then must not delay others, nor take a second mutex.
	 * Whatever fails, all of them are told.
	 */
	private void unlock() {
		Throwable failure = null;
		Waiter told = null;
		try {
			if (this.mutex.getHoldCount() == 1) {
				this.moves.settle();
			}
		}
		catch (RuntimeException | Error ex) {
			failure = ex;
		}
		finally {
			told = (this.mutex.getHoldCount() == 1) ? this.waiters.takeDecided() : null;
			this.mutex.unlock();
		}
		while (told != null) {
			Waiter next = told.next;
			told.next = null;
			try {
				told.tell();
			}
			catch (RuntimeException | Error ex) {
				failure = Failures.of(failure, ex);
			}
			told = next;
		}
		Failures.throwIfAny(failure);
	}

	/**
	 * Add an acquirer at the end.
	 * @return whether this queue took care of it; if not, it is retired or closed, and
	 * another must be asked for
	 */
	boolean join(Waiter waiter) {
		try {
			return transition(() -> {
				boolean open = !this.moves.isRetired() && !this.closed;
				if (open) {
					enter(waiter);
				}
				return open;
			});
		}
		catch (RuntimeException | Error ex) {
			var unused = giveUp(waiter);
			throw ex;
		}
	}

	private void enter(Waiter waiter) {
		Ownership shared = this.waiters.isEmpty() ? this.current.sharedWith(waiter.terms()) : null;
		if (shared != null) {
			this.moves.grantShared(shared, waiter);
		}
		else {
			this.waiters.enter(waiter);
		}
	}

	/**
	 * Claim the key, if it is idle, for an acquirer that tries several at once.
	 * @return the command; {@code null} if the key is busy, or if nobody knows as the
	 * store fails, or has not answered one who gave up, which the waiter is told; or if
	 * this queue is retired or closed
	 */
	@Nullable AcquireAttempt claim(Waiter waiter) {
		return transition(() -> {
			if (this.moves.isRetired() || this.closed) {
				return null;
			}
			if (isIdle()) {
				AcquireAttempt attempt = this.contender.claim(waiter.terms());
				this.waiters.add(waiter);
				return attempt;
			}
			LockStoreException failure = this.contender.failure();
			if (failure != null) {
				waiter.fail(failure);
			}
			else if (this.current.isEmpty() && this.contender.isAsking() && this.waiters.isEmpty()) {
				waiter.fail(this.services.store().noAnswer(this.key, now() - waiter.since()));
			}
			else {
				waiter.busy(this.waiters.busyKey(waiter));
			}
			return null;
		});
	}

	private boolean isIdle() {
		return this.current.isEmpty() && !this.contender.isAsking() && !this.contender.isWaiting();
	}

	/**
	 * Act on the answer to a claim.
	 * @param waiter who made it
	 */
	void answered(AcquireAttempt attempt, @Nullable AcquireReply reply, @Nullable Throwable failure, Waiter waiter) {
		locked(() -> this.moves.answered(attempt, reply, failure, waiter));
	}

	/**
	 * Cancel a claim: the store was not asked, or did not look at this key. Others who
	 * have come meanwhile are asked for.
	 */
	void cancel(AcquireAttempt attempt, Waiter waiter) {
		locked(() -> {
			var unused = giveUp(waiter);
			this.contender.cancel(attempt);
		});
	}

	/**
	 * Forget a waiter, as its acquirer gives up.
	 * @return whether nothing was decided before
	 */
	boolean giveUp(Waiter waiter) {
		return transition(() -> {
			boolean undecided = this.waiters.remove(waiter);
			if (undecided) {
				waiter.gaveUp();
			}
			return undecided;
		});
	}

	/**
	 * End the wait of an acquirer if its time is over.
	 * @return when to ask again; {@link Ticker#NEVER} if the waiter is completed
	 */
	long expire(Waiter waiter) {
		return transition(() -> this.waiters.expire(waiter));
	}

	/**
	 * Fail all who wait, and let nobody join any more.
	 */
	void close(RuntimeException failure) {
		locked(() -> {
			this.closed = true;
			this.waiters.failAll(failure);
		});
	}

	@Override
	public CompletableFuture<Boolean> release(DefaultLease lease, boolean used) {
		this.mutex.lock();
		try {
			return this.moves.release(lease, used);
		}
		finally {
			unlock();
		}
	}

	@Override
	public Duration maxTtl() {
		return this.services.store().maxTtl();
	}

	@Override
	public Executor callbacks() {
		return this.services.timing().callbacks();
	}

	/**
	 * Lose the leases that are out whose deadline has passed.
	 * @return the deadline to look at next
	 */
	@Override
	public long checkDeadline() {
		if (now() >= firstDeadline()) {
			locked(this::loseIfOverdue);
		}
		return firstDeadline();
	}

	/**
	 * Whoever waits for a key that was shared here was told for how long it stays, which
	 * may be less by now, and nobody else says that it has run out.
	 */
	private void loseIfOverdue() {
		boolean shared = this.current.isShared();
		this.current.loseIfOverdue();
		if (shared && this.current.isEmpty()) {
			this.contender.wakeUp();
		}
	}

	private long firstDeadline() {
		long first = Ticker.NEVER;
		for (DefaultLease lease : leases()) {
			first = Math.min(first, lease.ownership().deadline());
		}
		return first;
	}

	@Override
	public long renewed(Ownership ownership, long sentAt, Duration ttl, boolean held) {
		return transition(() -> this.current.renewed(ownership, sentAt, ttl, held));
	}

	@Override
	public CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl) {
		boolean held = transition(() -> this.current.extend(lease, ttl));
		return held ? this.services.host().extend(lease, ttl) : CompletableFuture.completedFuture(false);
	}

	/**
	 * Share the key from now on. As long as that is not confirmed nobody joins the lease,
	 * which is as good as before: whatever comes of it, the store has the owner id.
	 */
	@Override
	public CompletableFuture<Boolean> share(DefaultLease lease) {
		return transition(() -> {
			if (!lease.isActive() || lease.ownership().isShared()) {
				return CompletableFuture.completedFuture(lease.isActive());
			}
			lease.endMinHold(now());
			lease.ownership().shareSoon();
			// Nobody is to wait for longer than up to the end of one that is not renewed.
			Duration least = lease.isRenewed(now()) ? lease.ttl() : Duration.ofMillis(1);
			return this.services.store()
				.share(new Renew(this.key, lease.ownerId(), least))
				.handle((held, failure) -> shared(lease, held));
		});
	}

	private boolean shared(DefaultLease lease, @Nullable Boolean held) {
		locked(() -> {
			if (held != null) {
				this.current.shared(lease, held);
			}
		});
		return Boolean.TRUE.equals(held);
	}

	@Override
	public void onLost(DefaultLease lease, Consumer<LossCause> action) {
		locked(() -> this.current.onLost(lease, action));
	}

	/**
	 * Ask for the key, which is reserved for this instance.
	 * @return whether somebody here has a use for it
	 */
	boolean reserved() {
		return transition(() -> {
			this.contender.wakeUp();
			return !this.moves.isRetired()
					&& (this.current.isAlone() || !this.waiters.isEmpty() || this.contender.isAsking());
		});
	}

	/**
	 * Use the key, which a release elsewhere granted to this instance.
	 * @param toldBefore whether that may have been told before, so that its owner id may
	 * have been released
	 * @return whether somebody here uses it, or is about to; if not, it is to be released
	 */
	boolean granted(String ownerId, Acquired grant, boolean toldBefore) {
		return transition(() -> {
			if (this.moves.isRetired()) {
				return false;
			}
			DefaultLease lease = this.current.first();
			if ((lease != null && lease.ownerId().equals(ownerId)) || this.contender.isAskingBy(ownerId)) {
				return true;
			}
			this.contender.told(grant.firstToken());
			boolean gone = this.contender.isOld(grant, toldBefore) || this.services.forcedOwners().contains(ownerId);
			Waiter head = this.waiters.first();
			if (gone || head == null || this.current.isAlone()) {
				this.contender.wakeUp();
				return false;
			}
			Ownership ownership = this.contender.granted(ownerId, grant, head.terms());
			if (ownership != null) {
				this.moves.granted(new Contender.Granted(ownership, grant.contended()));
				this.services.host().confirm(this.key, ownership);
			}
			return true;
		});
	}

	void contended() {
		locked(() -> {
			if (!this.current.isEmpty() || this.contender.isAsking()) {
				this.current.yieldWithinSlice();
			}
		});
	}

	/**
	 * Lose the key, which was taken from an owner id by force, or ask for it if nobody
	 * here held it any more.
	 */
	void forced(String ownerId) {
		locked(() -> {
			if (!this.current.forced(ownerId)) {
				this.contender.wakeUp();
			}
		});
	}

	/**
	 * Call an action for each acquirer that waits here, and is not seen elsewhere.
	 */
	void forEachWaiter(Consumer<Waiter> action) {
		this.mutex.lock();
		try {
			for (Waiter waiter = this.waiters.first(); waiter != null; waiter = waiter.next) {
				if (waiter.kind() != Waiter.Kind.OTHER_PART) {
					action.accept(waiter);
				}
			}
		}
		finally {
			this.mutex.unlock();
		}
	}

	int waiterCount() {
		int[] count = { 0 };
		forEachWaiter((waiter) -> count[0]++);
		return count[0];
	}

	/**
	 * Ask now: signals are received from now on, or the store was reached over a new
	 * connection.
	 */
	void wakeUp() {
		locked(this.moves::wakeUp);
	}

	/**
	 * Poll more often, as no signals are received any more.
	 */
	void signalsLost() {
		locked(() -> {
			if (this.contender.isWaiting() && this.contender.failure() == null) {
				this.moves.poll(this.contender.awaitSignal(null));
			}
		});
	}

	/**
	 * Say what is known of the key. Called under the mutex.
	 */
	BusyKey busyKey(Waiter waiter) {
		return this.waiters.busyKey(waiter);
	}

}
