// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds at the store after one successful acquire command: an owner
 * id, a deadline and a block of fencing tokens. One lease after the other is granted from
 * it; of a shared key several at a time, with the same token. Written under the mutex of
 * its {@link LocalQueue}, except for the time of the next renewal and the aim, which are
 * the watchdog's, and what is in doubt, which has the monitor of its own; the volatile
 * fields are read without the mutex.
 */
final class Ownership {

	/**
	 * How long after the store has answered over another connection it may still execute
	 * what came over the one before.
	 */
	static final long STRAGGLING = TimeUnit.MINUTES.toNanos(1);

	/**
	 * Redis counts expiry in milliseconds, rounding either way.
	 */
	private static final long CLOCK_GRAIN = TimeUnit.MILLISECONDS.toNanos(2);

	private final String ownerId;

	private final Duration ttl;

	private final double drift;

	private final long validFor;

	private final long askedAt;

	private final long ownerSince;

	private final long firstToken;

	private final long lastToken;

	private long nextToken;

	private volatile long deadline;

	private volatile long renewAt;

	private long keptUntil = Ticker.NEVER;

	private long confirmedAt;

	// up to when the key stays if the last command does what it says; see the watchdog
	private long aim;

	// how long a confirmation lasts that is to be repeated: the ttl, or the term of a
	// grant
	private volatile long span;

	private volatile Duration shortestAsked;

	// when the first renewal or extension was sent
	private volatile long renewedSince = Ticker.NEVER;

	private boolean shared;

	// the leases that are out
	private int leases;

	// the one that was released last; null if its loss was told
	private @Nullable DefaultLease released;

	// whether all leases that were granted are renewed for as long as it takes
	private boolean renewedForever = true;

	// whether the store may share the key already
	private boolean toBeShared;

	private boolean extended;

	private Duration longestTtl;

	// the shortest ttl that a command of unknown outcome may still set; zero if there is
	// none
	private long doubtfulTtl;

	private long doubtEnds;

	/**
	 * Create an ownership.
	 * @param ownerSince when the first command of the owner id was sent, which may have
	 * had the key before
	 */
	Ownership(Acquire command, double drift, long sentAt, Acquired reply, long ownerSince) {
		this(command.ownerId(), command.ttl(), command.mode() == LockMode.SHARED, command.ttl(), drift, sentAt, reply,
				ownerSince);
	}

	/**
	 * Create an ownership of a key that the store granted for a time of its own, up to
	 * the first renewal.
	 * @param term for how long
	 * @param askedAt an instant that is not later than the grant
	 * @param now when it was known
	 */
	static Ownership granted(String ownerId, Duration ttl, Duration term, double drift, long askedAt, Acquired grant,
			long now) {
		return new Ownership(ownerId, ttl, false, term, drift, askedAt, grant, now);
	}

	private Ownership(String ownerId, Duration ttl, boolean shared, Duration term, double drift, long sentAt,
			Acquired reply, long ownerSince) {
		this.ownerId = ownerId;
		this.ttl = ttl;
		this.drift = drift;
		this.shared = shared;
		this.validFor = validFor(ttl.toNanos());
		this.longestTtl = ttl;
		this.shortestAsked = ttl;
		this.aim = sentAt + term.toNanos();
		this.askedAt = sentAt;
		this.ownerSince = ownerSince;
		this.firstToken = reply.firstToken();
		this.nextToken = this.firstToken;
		this.lastToken = reply.lastToken();
		confirmed(sentAt, validFor(term.toNanos()));
		this.renewAt = sentAt + term.toNanos() / 3;
		this.span = term.toNanos();
	}

	private long validFor(long ttl) {
		return ttl - (long) (ttl * this.drift) - CLOCK_GRAIN;
	}

	/**
	 * Move the deadline: the store confirmed a ttl by a command sent at the given
	 * instant. Replies may come out of order, so the deadline only grows.
	 * @return how much of the ttl counts, in nanoseconds, as a command of unknown outcome
	 * may still set a shorter one
	 */
	long confirmed(long sentAt, Duration ttl, long now) {
		long doubtful = doubtfulTtl(sentAt, now);
		long counted = (doubtful != 0) ? Math.min(ttl.toNanos(), doubtful) : ttl.toNanos();
		confirmed(sentAt, validFor(counted));
		return counted;
	}

	private void confirmed(long sentAt, long validFor) {
		this.deadline = Math.max(this.deadline, sentAt + validFor);
		this.confirmedAt = Math.max(this.confirmedAt, sentAt);
		this.renewAt = this.confirmedAt + this.ttl.toNanos() / 3;
		this.span = this.ttl.toNanos();
	}

	/**
	 * Note that the outcome of a renewal is unknown: the store may still execute it, even
	 * after later ones if the connection was lost between them. Called without the mutex,
	 * as whoever fails a command may be under another one.
	 */
	synchronized void unconfirmed(Duration ttl) {
		this.doubtfulTtl = (this.doubtfulTtl == 0) ? ttl.toNanos() : Math.min(this.doubtfulTtl, ttl.toNanos());
		this.doubtEnds = Ticker.NEVER;
	}

	/**
	 * Return the shortest ttl that may still be set, or was set after a command that was
	 * sent at the given instant. What was sent is executed soon, if ever, once the store
	 * answers again.
	 */
	private synchronized long doubtfulTtl(long sentAt, long now) {
		if (this.doubtfulTtl != 0 && this.doubtEnds == Ticker.NEVER) {
			this.doubtEnds = Ticker.plus(now, STRAGGLING);
		}
		else if (this.doubtfulTtl != 0 && sentAt >= this.doubtEnds) {
			this.doubtfulTtl = 0;
		}
		return this.doubtfulTtl;
	}

	/**
	 * Note that the store is asked for a ttl of the holder's choice. A command that is
	 * under way must not meet another holder, so the ownership is not passed on.
	 */
	void extend(Duration ttl) {
		this.extended = true;
		this.longestTtl = (ttl.compareTo(this.longestTtl) > 0) ? ttl : this.longestTtl;
	}

	/**
	 * Return the ttl to ask the store for in a command that is sent now: the given one,
	 * or more if the key would stay for less time than it does. Called by one thread at a
	 * time, in the order of the commands.
	 */
	Duration aim(long now, Duration ttl) {
		long left = this.aim - now;
		Duration asked = (left > ttl.toNanos()) ? Duration.ofMillis((left + 999_999) / 1_000_000) : ttl;
		this.aim = now + asked.toNanos();
		this.renewedSince = Math.min(this.renewedSince, now);
		if (asked.compareTo(this.shortestAsked) < 0) {
			this.shortestAsked = asked;
		}
		return asked;
	}

	/**
	 * Return the shortest ttl that a command asked for up to now.
	 */
	Duration shortestAsked() {
		return this.shortestAsked;
	}

	/**
	 * Return since when there may be commands that set the ttl to less than it is;
	 * {@link Ticker#NEVER} if none was sent. A repeated acquisition leaves more alone.
	 */
	long renewedSince() {
		return (this.askedAt != this.ownerSince) ? this.ownerSince : this.renewedSince;
	}

	/**
	 * Note that a renewal is sent. Until it is confirmed the next one is a repetition.
	 */
	void renewing(long sentAt) {
		this.renewAt = sentAt + this.span / 6;
	}

	/**
	 * Return whether a confirmed renewal is the repetition of one that was not confirmed,
	 * or as late as one.
	 * @param margin what was left up to the deadline before
	 */
	boolean isLate(long margin) {
		return !isProvisional() && margin <= this.validFor - this.ttl.toNanos() / 2;
	}

	/**
	 * Return whether it was granted for a short time, and not renewed since.
	 */
	boolean isProvisional() {
		return this.span < this.ttl.toNanos();
	}

	/**
	 * Return whether an acquirer may be granted the next lease, as far as the ttl goes.
	 */
	boolean fits(Terms terms) {
		boolean passedOn = !this.extended && !this.toBeShared && (!isProvisional() || terms.isRenewedBeyondTtl());
		return passedOn && terms.ttl().equals(this.ttl) && terms.shared() == this.shared;
	}

	/**
	 * Return whether an acquirer that shares the key can be granted a lease beside those
	 * that are out. One with a limit of its own gets an ownership of its own, which ends
	 * with that.
	 */
	boolean admits(Terms terms, long now) {
		return this.shared && fits(terms) && terms.isRenewedForever() && this.renewedForever
				&& this.deadline - now >= this.validFor / 2;
	}

	boolean isGood(long now) {
		return !isUsedUp() && now < this.deadline;
	}

	/**
	 * Return whether an acquirer that asks for the same ttl can be granted the next lease
	 * without asking the store. A renewed lease needs time for its next renewal; one that
	 * is not renewed for long must be good for all of its ttl.
	 */
	boolean covers(Terms terms, long now) {
		long needed = terms.isRenewedBeyondTtl() ? validFor(this.span) / 2 : this.validFor;
		return isGood(now) && this.deadline - now >= needed;
	}

	boolean isUsedUp() {
		return !this.shared && this.nextToken > this.lastToken;
	}

	boolean isShared() {
		return this.shared;
	}

	/**
	 * Note that the store is asked to share the key: from now on it is nobody's alone.
	 */
	void shareSoon() {
		this.toBeShared = true;
	}

	boolean isToBeShared() {
		return this.toBeShared;
	}

	/**
	 * Share the key from now on, as the store does. Nobody joins the lease that is out,
	 * as its token is not larger than that of its own exclusive time.
	 */
	void share() {
		this.shared = true;
	}

	void granted(Terms terms) {
		this.leases++;
		this.renewedForever &= terms.isRenewedForever();
	}

	void ended() {
		this.leases--;
	}

	/**
	 * Note that a lease was released, which says nothing of the store yet.
	 */
	void released(DefaultLease lease) {
		this.released = lease;
	}

	/**
	 * Return the lease that was released last, on behalf of all since the store was known
	 * to have the key; {@code null} if there is none, or if its loss was told.
	 */
	@Nullable DefaultLease released() {
		return this.released;
	}

	/**
	 * Note that somebody else here has it from now on. Who had it is gone, although the
	 * store was not asked: a loss that is found out later is no longer its own.
	 */
	void handedOn() {
		if (this.released != null) {
			this.released.forgetLossActions();
		}
	}

	void lossTold() {
		this.released = null;
	}

	boolean isLeased() {
		return this.leases > 0;
	}

	long lastToken() {
		return this.lastToken;
	}

	long usedTokens() {
		return this.nextToken - this.firstToken;
	}

	long askedAt() {
		return this.askedAt;
	}

	long ownerSince() {
		return this.ownerSince;
	}

	long takeToken() {
		return this.shared ? this.nextToken : this.nextToken++;
	}

	/**
	 * End the last lease, but stay at the store up to the given instant.
	 */
	void keepUntil(long until) {
		this.keptUntil = until;
	}

	boolean isKeptForMinHold() {
		return this.keptUntil != Ticker.NEVER;
	}

	long keptUntil() {
		return this.keptUntil;
	}

	String ownerId() {
		return this.ownerId;
	}

	Duration ttl() {
		return this.ttl;
	}

	/**
	 * Return for how long the key may stay at the store without a holder.
	 */
	Duration longestTtl() {
		return this.longestTtl;
	}

	long deadline() {
		return this.deadline;
	}

	long renewAt() {
		return this.renewAt;
	}

	/**
	 * Return from when on the lease may be renewed along with others.
	 */
	long renewFrom() {
		return this.renewAt - this.ttl.toNanos() / 6;
	}

}
