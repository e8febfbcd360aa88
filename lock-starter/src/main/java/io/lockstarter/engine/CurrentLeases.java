// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a key that are out at present: one, or those that share it. Decides how a
 * lease ends, once: released, or lost at its deadline, by the answer to a renewal or by
 * the answer to its release. Guarded by the mutex of its {@link LocalQueue}.
 */
final class CurrentLeases {

	private static final Log logger = LogFactory.getLog(CurrentLeases.class);

	private static final long KEEP_AGAIN = TimeUnit.SECONDS.toNanos(1);

	private final Lessor lessor;

	private final Services services;

	// in the order in which they were granted
	private volatile Collection<DefaultLease> leases = List.of();

	// what leases are granted from while the key is shared
	private @Nullable Ownership shared;

	// whether the next acquirer is asked for at the store, although it would fit in
	private boolean askNext;

	private long lastNumber;

	private long yieldAt = Ticker.NEVER;

	// whether others were known to wait when the last lease ended
	private boolean behind;

	CurrentLeases(Lessor lessor, Services services) {
		this.lessor = lessor;
		this.services = services;
	}

	/**
	 * Return the leases that are out, in the order in which they were granted, so that
	 * those of one ownership follow each other. May be called without the mutex.
	 */
	Collection<DefaultLease> leases() {
		return this.leases;
	}

	/**
	 * Return the lease that has been out for the longest time, if any.
	 */
	@Nullable DefaultLease first() {
		return this.leases.stream().findFirst().orElse(null);
	}

	boolean isEmpty() {
		return this.leases.isEmpty();
	}

	/**
	 * Return whether leases are out that share the key.
	 */
	boolean isShared() {
		return this.shared != null;
	}

	/**
	 * Return whether a lease is out that has the key alone.
	 */
	boolean isAlone() {
		return !isEmpty() && !isShared();
	}

	/**
	 * Return what an acquirer that shares the key can be granted a lease from without
	 * asking the store, if anything.
	 */
	@Nullable Ownership sharedWith(Terms terms) {
		Ownership ownership = this.shared;
		if (ownership == null || !ownership.isLeased() || this.askNext) {
			return null;
		}
		long now = this.lessor.now();
		return (now < this.yieldAt && !isToBeAsked(ownership, now) && ownership.admits(terms, now)) ? ownership : null;
	}

	/**
	 * Ask the store for the next acquirer: that others wait there may not have been told.
	 */
	void askNext() {
		this.askNext = true;
	}

	/**
	 * Return whether it is time to ask the store although the ownership would do: once in
	 * a poll interval, as the signal that others wait there may have been lost; once in a
	 * slice if signals were not received all the time since it was asked.
	 */
	boolean isToBeAsked(Ownership ownership, long now) {
		RegistrySettings settings = this.services.settings();
		long askedAt = ownership.askedAt();
		Duration unasked = this.services.host().listensSince(askedAt) ? settings.pollInterval() : settings.slice();
		return now - askedAt >= unasked.toNanos();
	}

	/**
	 * Grant a lease. Leases that are out, and share the key, are lost if the store grants
	 * it to one alone: it has forgotten them.
	 * @param handedOn whether the ownership was that of another holder before
	 */
	void grant(Ownership ownership, Waiter waiter, boolean handedOn) {
		DefaultLease lease = new DefaultLease(this.lessor, ownership, waiter.terms(), waiter.thread(),
				this.lessor.now(), ++this.lastNumber);
		if (!ownership.isShared()) {
			loseIfOverdue();
			this.leases.forEach((forgotten) -> lose(forgotten, missing(forgotten.ownership())));
		}
		add(lease);
		ownership.granted(waiter.terms());
		try {
			this.services.host().leased(lease);
		}
		catch (RuntimeException | Error ex) {
			remove(lease);
			throw ex;
		}
		waiter.grant(lease);
		this.services.news().acquired(lease, waiter, handedOn);
	}

	/**
	 * End the lease, as its holder released it.
	 * @return whether it was held up to now, so that its ownership can be passed on
	 */
	boolean release(DefaultLease lease) {
		loseIfOverdue(lease);
		boolean held = lease.isActive();
		if (lease.end() && lease.lossCause() == LossCause.EXPIRED) {
			// up to now the key may have been held at the store, and protected the holder
			releaseOrphan(lease.ownership());
		}
		if (held) {
			remove(lease);
			lease.ownership().released(lease);
			this.services.news().released(lease);
		}
		return held;
	}

	/**
	 * End a lease whose release failed half-way: nobody releases it again.
	 */
	void end(DefaultLease lease) {
		boolean out = lease.isActive();
		lease.end();
		if (out) {
			remove(lease);
		}
	}

	/**
	 * Release the key at the store.
	 * @param queueing whether to stand in the queue of the store again in the same step
	 * @param tokens how many to be granted with the key
	 */
	CompletableFuture<Boolean> releaseKey(Ownership ownership, Queueing queueing, int tokens) {
		boolean contended = isContended() || ownership.isShared();
		forgetContention();
		return this.services.store().release(this.lessor.key(), ownership.ownerId(), queueing, tokens, contended);
	}

	/**
	 * Act on the answer that a key was not released.
	 */
	void notReleased(Ownership ownership, long askedAt, @Nullable Throwable failure) {
		if (failure != null) {
			releaseOrphan(ownership);
			throw unconfirmed(ownership, failure);
		}
		this.lessor.locked(() -> gone(ownership, askedAt));
	}

	/**
	 * Act on the answer that the store did not have the key any more. That tells nothing
	 * of a key that was asked for when it may have run out, as it does while the process
	 * is paused.
	 */
	void gone(Ownership ownership, long askedAt) {
		if (askedAt < ownership.deadline()) {
			gone(ownership);
			return;
		}
		var unused = unconfirmed(ownership, new LockStoreException(
				"Lock '%s': it ran out while nobody used it here".formatted(this.lessor.key()), true, null));
	}

	/**
	 * Act on the answer that the store did not have the key any more, although the last
	 * lease was released: those before it may have overlapped with others, too. The last
	 * one is told, once, on behalf of all.
	 */
	private void gone(Ownership ownership) {
		DefaultLease released = ownership.released();
		if (released != null) {
			ownership.lossTold();
			report(released, missing(ownership));
		}
	}

	/**
	 * Keep the key at the store without a holder for the rest of the minimum hold.
	 */
	CompletableFuture<Boolean> keepForMinHold(DefaultLease lease, Duration rest) {
		forgetContention();
		lease.ownership().keepUntil(lease.minHoldUntil());
		return keep(lease.ownership(), rest)
			.handle((held, failure) -> keptForMinHold(lease.ownership(), held, failure));
	}

	/**
	 * Set the rest of the minimum hold again: the command failed, or a renewal that was
	 * on its way came after it.
	 */
	private void keepAgain(Ownership ownership) {
		Duration rest = Duration.ofNanos(ownership.keptUntil() - this.lessor.now());
		if (rest.isNegative() || rest.isZero()) {
			releaseOrphan(ownership);
			return;
		}
		Completions.on(keep(ownership, rest), (held, failure) -> {
			if (failure != null) {
				keepAgainLater(ownership);
			}
			else if (!held && this.lessor.now() < ownership.keptUntil()) {
				this.lessor.locked(() -> gone(ownership));
			}
		});
	}

	private void keepAgainLater(Ownership ownership) {
		try {
			this.services.timing()
				.watchdog()
				.schedule(() -> this.lessor.locked(() -> keepAgain(ownership)), KEEP_AGAIN);
		}
		catch (RuntimeException | Error ex) {
			logger.error("The minimum hold of a lock may end early, as it cannot be set again", ex);
		}
	}

	private CompletableFuture<Boolean> keep(Ownership ownership, Duration rest) {
		Duration ttl = Duration.ofMillis(rest.plusNanos(999_999).toMillis());
		return this.services.store().keep(new Renew(this.lessor.key(), ownership.ownerId(), ttl));
	}

	/**
	 * Keep the key for one more slice at most, as other instances wait, or may wait.
	 */
	void yieldWithinSlice() {
		long slice = this.services.settings().slice().toNanos();
		this.yieldAt = Math.min(this.yieldAt, Ticker.plus(this.lessor.now(), slice));
	}

	/**
	 * Forget what was known of other instances that wait when the store was asked: it
	 * said that there are none.
	 */
	void uncontended(long askedAt) {
		if (this.yieldAt <= Ticker.plus(askedAt, this.services.settings().slice().toNanos())) {
			this.yieldAt = Ticker.NEVER;
		}
	}

	/**
	 * Forget that other instances wait, unless leases are out: then they still do.
	 */
	void forgetContention() {
		if (isEmpty()) {
			this.behind |= isContended();
			this.yieldAt = Ticker.NEVER;
		}
	}

	/**
	 * Return whether other instances were known to wait when the last lease ended, which
	 * come first. They may be forgotten from now on.
	 */
	boolean takeBehind() {
		boolean taken = this.behind;
		this.behind = false;
		return taken;
	}

	/**
	 * Return whether other instances are known to wait.
	 */
	boolean isContended() {
		return this.yieldAt != Ticker.NEVER;
	}

	boolean mustYield() {
		return this.lessor.now() >= this.yieldAt;
	}

	void loseIfOverdue() {
		this.leases.forEach(this::loseIfOverdue);
	}

	/**
	 * Act on the answer to a renewal.
	 * @return how much of the ttl counts, in nanoseconds
	 */
	long renewed(Ownership ownership, long sentAt, Duration ttl, boolean held) {
		loseIfOverdue();
		if (held && ownership.isKeptForMinHold()) {
			keepAgain(ownership);
			return 0;
		}
		List<DefaultLease> renewed = this.leases.stream().filter((lease) -> lease.ownership() == ownership).toList();
		if (renewed.isEmpty()) {
			return 0;
		}
		if (held) {
			this.services.news().renewed(renewed.get(0), ownership);
			return ownership.confirmed(sentAt, ttl, this.lessor.now());
		}
		renewed.forEach((lease) -> lose(lease, missing(ownership)));
		return 0;
	}

	/**
	 * Act on the answer of the store that was asked to share the key.
	 */
	void shared(DefaultLease lease, boolean held) {
		loseIfOverdue();
		if (lease.isActive() && !held) {
			lose(lease, missing(lease.ownership()));
		}
		else if (lease.isActive()) {
			lease.ownership().share();
			this.shared = lease.ownership();
			this.leases = ordered(List.of(lease));
		}
	}

	/**
	 * Prepare the extension of a lease.
	 * @return whether it is held
	 */
	boolean extend(DefaultLease lease, Duration ttl) {
		loseIfOverdue(lease);
		if (lease.isActive()) {
			lease.ownership().extend(ttl);
		}
		return lease.isActive();
	}

	/**
	 * Lose the leases that are out if their owner id lost the key by force. The key is
	 * released all the same: if the news comes late, it may have been acquired again.
	 * @return whether there was such a lease
	 */
	boolean forced(String ownerId) {
		List<DefaultLease> forced = this.leases.stream().filter((lease) -> lease.ownerId().equals(ownerId)).toList();
		for (DefaultLease lease : forced) {
			loseIfOverdue(lease);
			if (lease.isActive()) {
				lose(lease, LossCause.FORCED);
				// after it ended, as a store may tell the news again with its answer
				releaseOrphan(lease.ownership());
			}
		}
		return !forced.isEmpty();
	}

	/**
	 * Return why the store does not know the owner id any more.
	 */
	private LossCause missing(Ownership ownership) {
		return this.services.forcedOwners().contains(ownership.ownerId()) ? LossCause.FORCED : LossCause.TAKEN;
	}

	void onLost(DefaultLease lease, Consumer<LossCause> action) {
		LossCause cause = lease.lossCause();
		if (cause != null) {
			this.services.news().run(() -> action.accept(cause));
		}
		else if (lease.isActive()) {
			lease.addLossAction(action);
		}
	}

	private boolean keptForMinHold(Ownership ownership, @Nullable Boolean held, @Nullable Throwable failure) {
		if (failure != null) {
			keepAgainLater(ownership);
			throw unconfirmed(ownership, failure);
		}
		if (!Boolean.TRUE.equals(held)) {
			this.lessor.locked(() -> gone(ownership));
			return false;
		}
		return true;
	}

	/**
	 * Tell that nobody knows whether the store had the key up to the release of the last
	 * lease.
	 */
	LockStoreException unconfirmed(Ownership ownership, Throwable failure) {
		LockStoreException unconfirmed = this.services.store().failure(this.lessor.key(), failure);
		DefaultLease lease = ownership.released();
		if (lease != null) {
			this.services.news().releaseUnconfirmed(lease, unconfirmed);
		}
		return unconfirmed;
	}

	private void releaseOrphan(Ownership ownership) {
		this.services.store().orphans().release(this.lessor.key(), ownership.ownerId(), ownership.longestTtl(), false);
	}

	private void loseIfOverdue(DefaultLease lease) {
		if (lease.isActive() && this.lessor.now() >= lease.ownership().deadline()) {
			lose(lease, LossCause.EXPIRED);
			if (lease.isRenewed()) {
				this.services.store().leaseExpired(lease.ownership().deadline());
			}
		}
	}

	private void add(DefaultLease lease) {
		if (!lease.ownership().isShared()) {
			this.leases = List.of(lease);
			return;
		}
		this.askNext &= this.shared == lease.ownership();
		this.shared = lease.ownership();
		if (isEmpty()) {
			this.leases = ordered(List.of(lease));
		}
		else {
			this.leases.add(lease);
		}
	}

	private static Collection<DefaultLease> ordered(Collection<DefaultLease> leases) {
		Collection<DefaultLease> ordered = new ConcurrentSkipListSet<>(Comparator.comparingLong(DefaultLease::number));
		ordered.addAll(leases);
		return ordered;
	}

	private void remove(DefaultLease lease) {
		lease.ownership().ended();
		if (this.shared != null) {
			this.leases.remove(lease);
		}
		if (this.shared == null || isEmpty()) {
			this.leases = List.of();
			this.shared = null;
		}
	}

	private void lose(DefaultLease lease, LossCause cause) {
		remove(lease);
		forgetContention();
		report(lease, cause);
	}

	private void report(DefaultLease lease, LossCause cause) {
		this.services.news().lost(lease, cause, lease.lose(cause));
	}

}
