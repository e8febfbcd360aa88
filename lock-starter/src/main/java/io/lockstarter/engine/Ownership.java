package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.LockStore.Acquired;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds at the store after one successful acquire command: an owner
 * id, a deadline and a block of fencing tokens. One lease after the other is granted from
 * it. Written under the mutex of its {@link LocalQueue}, except for the time of the next
 * renewal, which the watchdog moves; the volatile parts are read without.
 */
final class Ownership {

	/**
	 * Redis counts expiry in milliseconds, rounding either way.
	 */
	private static final long CLOCK_GRAIN = TimeUnit.MILLISECONDS.toNanos(2);

	private final String ownerId;

	private final Duration ttl;

	private final long validFor;

	private final long askedAt;

	private final long firstToken;

	private final long lastToken;

	private long nextToken;

	private volatile long deadline;

	private volatile long renewAt;

	private volatile @Nullable DefaultLease lease;

	private long keptUntil = Ticker.NEVER;

	/**
	 * Create a ownership.
	 * @param ownerId who holds the key
	 * @param ttl the ttl at the store
	 * @param drift the part of the ttl to keep back
	 * @param sentAt the instant before the acquire command was sent
	 * @param reply the reply to it
	 */
	Ownership(String ownerId, Duration ttl, double drift, long sentAt, Acquired reply) {
		this.ownerId = ownerId;
		this.ttl = ttl;
		this.validFor = ttl.toNanos() - (long) (ttl.toNanos() * drift) - CLOCK_GRAIN;
		this.askedAt = sentAt;
		this.firstToken = reply.firstToken();
		this.nextToken = this.firstToken;
		this.lastToken = reply.lastToken();
		confirmed(sentAt);
	}

	/**
	 * The store confirmed the ttl by a command sent at the given instant. Replies may
	 * come out of order; the deadline only grows.
	 */
	void confirmed(long sentAt) {
		this.deadline = Math.max(this.deadline, sentAt + this.validFor);
		this.renewAt = Math.max(sentAt, this.deadline - this.validFor) + this.ttl.toNanos() / 3;
	}

	/**
	 * A renewal is sent. Until it is confirmed the next one is a repetition.
	 */
	void renewing(long sentAt) {
		this.renewAt = sentAt + this.ttl.toNanos() / 6;
	}

	/**
	 * Return whether a lease can be granted at all.
	 */
	boolean isGood(long now) {
		return !isUsedUp() && now < this.deadline;
	}

	/**
	 * Return whether an acquirer that asks for the same ttl can be granted the next lease
	 * without asking the store. A renewed lease needs time for its next renewal; one that
	 * is not renewed for long must be good for all of its ttl.
	 */
	boolean covers(Terms terms, long now) {
		boolean renewed = terms.renew() && terms.maxHoldNanos() > this.ttl.toNanos();
		return isGood(now) && this.deadline - now >= (renewed ? this.validFor / 2 : this.validFor);
	}

	/**
	 * Return whether no token is left.
	 */
	boolean isUsedUp() {
		return this.nextToken > this.lastToken;
	}

	/**
	 * Return how many leases were granted from this.
	 */
	long usedTokens() {
		return this.nextToken - this.firstToken;
	}

	/**
	 * Return when the store was asked for this ownership.
	 */
	long askedAt() {
		return this.askedAt;
	}

	long takeToken() {
		return this.nextToken++;
	}

	void lease(@Nullable DefaultLease lease) {
		this.lease = lease;
	}

	@Nullable DefaultLease lease() {
		return this.lease;
	}

	/**
	 * Nobody holds this any more, but it stays at the store up to the given instant.
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

	long deadline() {
		return this.deadline;
	}

	/**
	 * Return when the lease is to be renewed at the latest.
	 */
	long renewAt() {
		return this.renewAt;
	}

	/**
	 * Return from when on the lease may be renewed along with others: half-way.
	 */
	long renewFrom() {
		return this.renewAt - this.ttl.toNanos() / 6;
	}

}
