// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.platform.Ticker;
import io.lockstarter.store.LockStore.Acquired;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Contender} that waits knows of a grant that is to come, with the release
 * of whoever has the key: since when it can have been made at the earliest. The store
 * says only that it was made, and its message may have been on its way for long; the
 * lease must not last longer than the key. Guarded by the mutex of the
 * {@link LocalQueue}.
 * <p>
 * A store hands out tokens in their order. So a grant whose token is not smaller than
 * what the store answered as the next one was made after that answer, and so after the
 * question was sent. That needs no clock but the one of this JVM.
 */
final class ExpectedGrant {

	private long askedAt = Ticker.NEVER;

	private long nextToken;

	// the first of these since this instance waits; zero if there is none
	private long firstAskedAt;

	private long firstNextToken;

	// of the last grant that was told, or found
	private long knownToken;

	private @Nullable String ownerId;

	/**
	 * Expect a grant after the store answered that somebody else has the key, or after
	 * the release of a lease that is held up to now.
	 * @param sentAt when the store was asked
	 * @param nextToken what it said of the next token, or what follows the last one of
	 * the lease; zero if it did not say
	 */
	void after(long sentAt, long nextToken) {
		none();
		if (nextToken > 0) {
			this.askedAt = sentAt;
			this.nextToken = nextToken;
			if (this.firstNextToken == 0) {
				this.firstAskedAt = sentAt;
				this.firstNextToken = nextToken;
			}
		}
	}

	/**
	 * Expect nothing any more.
	 */
	void end() {
		none();
		this.firstNextToken = 0;
	}

	/**
	 * Note that a grant was told.
	 */
	void told(long token) {
		this.knownToken = Math.max(this.knownToken, token);
	}

	/**
	 * Return the token of a grant that was made since this instance waits, and was not
	 * told.
	 * @param holder who has the key
	 * @param instance the instance id
	 * @return the token by which the holder is this instance; zero if it is not
	 */
	long untold(@Nullable String holder, String instance) {
		String prefix = instance + ":g";
		if (holder == null || this.firstNextToken == 0 || !holder.startsWith(prefix)) {
			return 0;
		}
		String number = holder.substring(prefix.length());
		// the id of another instance may begin like this one's
		long token = number.matches("\\d{1,18}") ? Long.parseLong(number) : 0;
		return (token >= this.firstNextToken && token > this.knownToken) ? token : 0;
	}

	/**
	 * Return when this instance asked for the first time since it waits.
	 */
	long firstAskedAt() {
		return this.firstAskedAt;
	}

	/**
	 * Know nothing of when a grant was made.
	 */
	void none() {
		this.askedAt = Ticker.NEVER;
		this.nextToken = 0;
	}

	/**
	 * Return an instant that is not later than a grant that is not old;
	 * {@link Ticker#NEVER} if none is known.
	 */
	long earliest() {
		return this.askedAt;
	}

	/**
	 * Return whether a grant may be over, and its owner id released: it was made before
	 * the store was asked last, or nobody knows and it was told before.
	 */
	boolean isOld(Acquired grant, boolean toldBefore) {
		return (this.nextToken > 0) ? grant.firstToken() < this.nextToken : toldBefore;
	}

	/**
	 * Keep what was granted, to ask for the key by the same owner id.
	 * @return what was kept before, if anything
	 */
	@Nullable String keep(String granted) {
		String before = this.ownerId;
		this.ownerId = granted;
		return before;
	}

	/**
	 * Take the owner id that the key was granted to, if it was.
	 */
	@Nullable String take() {
		String granted = this.ownerId;
		this.ownerId = null;
		return granted;
	}

	boolean isFor(String granted) {
		return granted.equals(this.ownerId);
	}

}
