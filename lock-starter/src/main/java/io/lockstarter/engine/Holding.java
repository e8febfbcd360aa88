package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.engine.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM has of a key: the hold and the one lease that is out of it. Decides how a
 * lease ends, once: released, or lost at its deadline, by the answer to a renewal or by
 * the answer to its release. Guarded by the mutex of its {@link LocalQueue}.
 */
final class Holding {

	private static final long LEAVE_AGAIN = TimeUnit.SECONDS.toNanos(1);

	private final LocalQueue queue;

	private final LocalQueues engine;

	private volatile @Nullable Hold hold;

	private long yieldAt = Ticker.NEVER;

	Holding(LocalQueue queue, LocalQueues engine) {
		this.queue = queue;
		this.engine = engine;
	}

	/**
	 * Return the hold that a lease is out of. May be called without the mutex.
	 * @return the hold; {@code null} if no lease is out
	 */
	@Nullable Hold hold() {
		return this.hold;
	}

	/**
	 * Grant a lease.
	 * @return whether the waiter still wanted it
	 */
	boolean lease(Hold hold, Waiter waiter) {
		DefaultLease lease = new DefaultLease(this.queue, hold, waiter.terms(), this.queue.now());
		hold.lease(lease);
		this.hold = hold;
		if (!waiter.grant(lease)) {
			hold.lease(null);
			this.hold = null;
			return false;
		}
		this.engine.leased(hold);
		return true;
	}

	/**
	 * The holder is done with its lease.
	 * @return whether it was held up to now, so that its hold is to be passed on
	 */
	boolean end(DefaultLease lease) {
		loseIfOverdue(lease);
		boolean held = lease.isActive();
		if (lease.end() && lease.lossCause() == LossCause.EXPIRED) {
			// up to now the key may have been held at the store, and protected the holder
			this.engine.store().settle(this.queue.key(), lease.hold().ownerId(), lease.hold().ttl(), false);
		}
		if (held) {
			lease.hold().lease(null);
			this.hold = null;
		}
		return held;
	}

	/**
	 * Give a hold back to the store.
	 * @param lease the lease that ended with it, if any
	 * @param requeue whether to stand in the queue of the store again in the same step
	 * @return whether the key was held up to now
	 */
	CompletableFuture<Boolean> giveBack(Hold hold, @Nullable DefaultLease lease, boolean requeue) {
		stay();
		return this.engine.store()
			.release(this.queue.key(), hold.ownerId(), requeue)
			.handle((held, failure) -> givenBack(hold, lease, held, failure));
	}

	/**
	 * Leave a hold at the store for a while without a holder.
	 * @param lease the lease that ended
	 * @param rest for how long
	 * @return whether the key was held up to now
	 */
	CompletableFuture<Boolean> leaveBehind(DefaultLease lease, Duration rest) {
		stay();
		lease.hold().leave(lease.minHoldUntil());
		return renew(lease.hold(), rest)
			.handle((held, failure) -> leftBehind(lease, (held != null) ? held.get(0) : null, failure));
	}

	/**
	 * The rest may not be set at the store: the command failed, or a renewal that was on
	 * its way came after it.
	 */
	private void leaveAgain(Hold hold) {
		Duration rest = Duration.ofNanos(hold.leftUntil() - this.queue.now());
		if (rest.isNegative() || rest.isZero()) {
			this.engine.store().settle(this.queue.key(), hold.ownerId(), hold.ttl(), false);
			return;
		}
		Completions.on(renew(hold, rest), (held, failure) -> {
			if (failure != null) {
				leaveAgainLater(hold);
			}
		});
	}

	private void leaveAgainLater(Hold hold) {
		this.engine.timing().watchdog().schedule(() -> this.queue.locked(() -> leaveAgain(hold)), LEAVE_AGAIN);
	}

	private CompletableFuture<List<Boolean>> renew(Hold hold, Duration rest) {
		Duration ttl = Duration.ofMillis(rest.plusNanos(999_999).toMillis());
		return this.engine.store().renew(List.of(new Renew(this.queue.key(), hold.ownerId(), ttl)));
	}

	/**
	 * Other instances wait, or may: keep the key for one more slice at most.
	 */
	void yieldWithinSlice() {
		long slice = this.engine.settings().slice().toNanos();
		this.yieldAt = Math.min(this.yieldAt, Ticker.plus(this.queue.now(), slice));
	}

	/**
	 * Nobody else is known to wait.
	 */
	void stay() {
		this.yieldAt = Ticker.NEVER;
	}

	boolean mustYield() {
		return this.queue.now() >= this.yieldAt;
	}

	void loseIfOverdue() {
		Hold hold = this.hold;
		DefaultLease lease = (hold != null) ? hold.lease() : null;
		if (lease != null) {
			loseIfOverdue(lease);
		}
	}

	/**
	 * The store answered a renewal that was sent at the given instant.
	 */
	void renewed(Hold hold, long sentAt, boolean held) {
		loseIfOverdue();
		if (held && hold.isLeft()) {
			leaveAgain(hold);
			return;
		}
		DefaultLease lease = hold.lease();
		if (this.hold != hold || lease == null) {
			return;
		}
		if (held) {
			hold.confirmed(sentAt);
		}
		else {
			lose(lease, LossCause.TAKEN);
		}
	}

	void onLost(DefaultLease lease, Consumer<LossCause> action) {
		LossCause cause = lease.lossCause();
		if (cause != null) {
			this.engine.events().run(() -> action.accept(cause));
		}
		else if (lease.isActive()) {
			lease.addLossAction(action);
		}
	}

	private boolean givenBack(Hold hold, @Nullable DefaultLease lease, @Nullable Boolean held,
			@Nullable Throwable failure) {
		if (Boolean.TRUE.equals(held)) {
			return true;
		}
		this.queue.nudge();
		if (failure == null) {
			if (lease != null) {
				this.queue.locked(() -> report(lease, LossCause.TAKEN));
			}
			return false;
		}
		LockStoreException unconfirmed = this.engine.store().failure(this.queue.key(), failure);
		this.engine.store().settle(this.queue.key(), hold.ownerId(), hold.ttl(), false);
		if (lease != null) {
			this.engine.events().tell((listener) -> listener.releaseUnconfirmed(lease, unconfirmed));
		}
		throw unconfirmed;
	}

	private boolean leftBehind(DefaultLease lease, @Nullable Boolean held, @Nullable Throwable failure) {
		if (failure != null) {
			LockStoreException unconfirmed = this.engine.store().failure(this.queue.key(), failure);
			this.engine.events().tell((listener) -> listener.releaseUnconfirmed(lease, unconfirmed));
			leaveAgainLater(lease.hold());
			throw unconfirmed;
		}
		if (!Boolean.TRUE.equals(held)) {
			this.queue.locked(() -> report(lease, LossCause.TAKEN));
			return false;
		}
		return true;
	}

	private void loseIfOverdue(DefaultLease lease) {
		if (lease.isActive() && this.queue.now() >= lease.hold().deadline()) {
			lose(lease, LossCause.EXPIRED);
		}
	}

	private void lose(DefaultLease lease, LossCause cause) {
		report(lease, cause);
		lease.hold().lease(null);
		this.hold = null;
		stay();
		this.queue.lost();
	}

	private void report(DefaultLease lease, LossCause cause) {
		for (Consumer<LossCause> action : lease.lose(cause)) {
			this.engine.events().run(() -> action.accept(cause));
		}
		this.engine.events().tell((listener) -> listener.lost(lease, cause));
	}

}
