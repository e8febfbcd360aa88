// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.util.Comparator;

/**
 * Something that happened to a lock, by the account of who saw it. Instants are
 * {@link System#nanoTime()}, which is one clock for all JVMs of a Linux machine.
 *
 * @param kind what happened
 * @param key the key
 * @param ownerId the owner id; or, of a lease that shares the key, what tells it from
 * others of the same token
 * @param at when
 * @param until up to when that entitles to anything
 * @param token the fencing token of the lease; the first one of a block
 * @param lastToken the last token of the block
 */
public record HoldEvent(Kind kind, String key, String ownerId, long at, long until, long token, long lastToken) {

	/**
	 * By time, and at the same instant one lease after the other, each from its beginning
	 * to its end.
	 */
	static final Comparator<HoldEvent> ORDER = Comparator.comparingLong(HoldEvent::at)
		.thenComparingLong(HoldEvent::token)
		.thenComparing(HoldEvent::kind);

	/**
	 * An acquire command is about to be sent, and its owner id may turn up at the store.
	 * @param at when, before it was sent
	 */
	public static HoldEvent asked(String key, String ownerId, long at) {
		return new HoldEvent(Kind.ASKED, key, ownerId, at, Long.MAX_VALUE, 0, 0);
	}

	/**
	 * A lease was granted.
	 * @param at when the holder learned of it
	 * @param deadline up to when it may believe so, unless the deadline is moved
	 */
	public static HoldEvent granted(String key, String ownerId, long at, long deadline, long token) {
		return granted(key, ownerId, at, deadline, token, token);
	}

	/**
	 * A block of tokens was granted, named by its first one.
	 * @param at when the holder learned of it
	 * @param deadline up to when it may believe so, unless the deadline is moved
	 */
	public static HoldEvent granted(String key, String ownerId, long at, long deadline, long token, long lastToken) {
		return new HoldEvent(Kind.GRANTED, key, ownerId, at, deadline, token, lastToken);
	}

	/**
	 * A lease was granted to one of those who share the key.
	 * @param holder what tells it from others of the same token
	 * @param at when the holder learned of it
	 * @param deadline up to when it may believe so, unless the deadline is moved
	 */
	public static HoldEvent shared(String key, String holder, long at, long deadline, long token) {
		return new HoldEvent(Kind.SHARED, key, holder, at, deadline, token, token);
	}

	/**
	 * The holder of an exclusive lease, which has ended as such, goes on sharing the key
	 * with the token of it.
	 * @param holder what tells it from others of the same token
	 * @param at when, after that has ended
	 * @param deadline up to when it may believe so, unless the deadline is moved
	 */
	public static HoldEvent downgraded(String key, String holder, long at, long deadline, long token) {
		return new HoldEvent(Kind.DOWNGRADED, key, holder, at, deadline, token, token);
	}

	/**
	 * A renewal moved the deadline of a lease.
	 * @param at when the holder learned of it
	 */
	public static HoldEvent extended(String key, String ownerId, long at, long deadline, long token) {
		return new HoldEvent(Kind.EXTENDED, key, ownerId, at, deadline, token, token);
	}

	/**
	 * The holder was told that its lease is held.
	 * @param at when, before it asked
	 */
	public static HoldEvent toldHeld(String key, String ownerId, long at, long token) {
		return new HoldEvent(Kind.TOLD_HELD, key, ownerId, at, at, token, token);
	}

	/**
	 * The holder was told that its lease is lost.
	 * @param at when, after it was told
	 */
	public static HoldEvent toldLost(String key, String ownerId, long at, long token) {
		return new HoldEvent(Kind.TOLD_LOST, key, ownerId, at, at, token, token);
	}

	/**
	 * The holder is done with a lease, lost or not; or it was killed.
	 * @param at when, before it said so
	 */
	public static HoldEvent ended(String key, String ownerId, long at, long token) {
		return new HoldEvent(Kind.ENDED, key, ownerId, at, at, token, token);
	}

	/**
	 * Nobody wants an owner id any more: released, lost, unknown, or killed.
	 * @param at when
	 * @param ttl for how long the store may keep it nevertheless, in nanoseconds
	 */
	public static HoldEvent givenUp(String key, String ownerId, long at, long ttl) {
		return new HoldEvent(Kind.GIVEN_UP, key, ownerId, at, at + ttl, 0, 0);
	}

	/**
	 * The store was seen to have an owner id at the key.
	 * @param at when, before the store was asked
	 */
	public static HoldEvent seen(String key, String ownerId, long at) {
		return new HoldEvent(Kind.SEEN, key, ownerId, at, at, 0, 0);
	}

	/**
	 * The store may have forgotten who holds the key, at some instant of a span of time.
	 * Who learned of its lease before the end of it may believe in it for longer than the
	 * store does.
	 * @param cause why
	 * @param from when it cannot have happened yet
	 * @param to when it has happened and everybody learned of what was granted before
	 */
	public static HoldEvent forgotten(String key, String cause, long from, long to) {
		return new HoldEvent(Kind.FORGOTTEN, key, cause, from, to, Long.MIN_VALUE, 0);
	}

	/**
	 * Another server has taken the place of the store, and the old one, which
	 * {@link #forgotten forgets} in doing so, goes on granting for a while. What it
	 * grants may have smaller tokens, but no token twice. However late a holder learns of
	 * such a lease, its deadline tells that it asked for it while the old one was used.
	 * @param cause why
	 * @param from when it cannot have happened yet
	 * @param to up to when leases may last that the old one granted
	 */
	public static HoldEvent replaced(String key, String cause, long from, long to) {
		return new HoldEvent(Kind.REPLACED, key, cause, from, to, Long.MIN_VALUE, 0);
	}

	/**
	 * Return whether a lease may be one that the store does not know of after this.
	 */
	boolean mayEnd(HoldEvent granted) {
		return (this.kind == Kind.REPLACED) ? granted.until() <= this.until : granted.at() < this.until;
	}

	/**
	 * What can happen, in the order of a life.
	 */
	public enum Kind {

		/** See {@link #asked}. */
		ASKED,
		/** See {@link #granted}. */
		GRANTED,
		/** See {@link #shared}. */
		SHARED,
		/** See {@link #downgraded}. */
		DOWNGRADED,
		/** See {@link #extended}. */
		EXTENDED,
		/** See {@link #toldHeld}. */
		TOLD_HELD,
		/** See {@link #toldLost}. */
		TOLD_LOST,
		/** See {@link #ended}. */
		ENDED,
		/** See {@link #givenUp}. */
		GIVEN_UP,
		/** See {@link #seen}. */
		SEEN,
		/** See {@link #forgotten}. */
		FORGOTTEN,
		/** See {@link #replaced}. */
		REPLACED

	}

}
