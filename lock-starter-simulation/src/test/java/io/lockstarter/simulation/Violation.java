// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * A promise that was broken.
 *
 * @param rule which one
 * @param time when
 * @param details by whom, and how
 */
record Violation(Rule rule, long time, String details) {

	/**
	 * What is promised, each by what breaks it. What is excused is where it is checked.
	 */
	enum Rule {

		/**
		 * Two leases of a key are within their deadlines, and do not both share it.
		 */
		EXCLUSION,

		/**
		 * A lease is believed to be held for longer than its server, or most of a quorum,
		 * has it.
		 */
		UNPROTECTED,

		/**
		 * More permits are held than the largest limit.
		 */
		LIMIT,

		/**
		 * A lease is not held when it is handed out, or has another ttl than was asked
		 * for; or what is asked of a store has other terms.
		 */
		TERMS,

		/**
		 * A lease is confirmed by a command that was sent after somebody else had the
		 * key.
		 */
		REVIVED,

		/**
		 * A token is not larger than those before it, or more than ten minutes ahead of
		 * all clocks.
		 */
		TOKEN_ORDER,

		/**
		 * Two leases have the same token.
		 */
		TOKEN_TWICE,

		/**
		 * A loss is not told in time.
		 */
		LOSS_NOT_TOLD,

		/**
		 * A loss is told twice.
		 */
		LOSS_TOLD_TWICE,

		/**
		 * A loss is told that was none.
		 */
		FALSE_LOSS,

		/**
		 * Somebody is told that a key is busy that he could have had all the time.
		 */
		FALSE_BUSY,

		/**
		 * A call does not end in time.
		 */
		CALL_WITHOUT_END,

		/**
		 * Somebody waits on in a process although one who came later got the key alone.
		 */
		OVERTAKEN,

		/**
		 * Somebody waits for what nobody has any more.
		 */
		IN_VAIN,

		/**
		 * A key cannot be acquired when all faults are over.
		 */
		NOT_ACQUIRED,

		/**
		 * A server has a lock, or a place in a queue, that belongs to nobody.
		 */
		ORPHAN,

		/**
		 * Something stays behind when all is over: a lock, a connection, a task.
		 */
		LEFTOVER,

		/**
		 * A lease was handed out of which no replica knows, although it should.
		 */
		NOT_REPLICATED,

		/**
		 * An update of the register behind a lock is lost.
		 */
		LOST_UPDATE,

		/**
		 * The fenced register accepted a token that is too small.
		 */
		FENCE_BROKEN,

		/**
		 * A call fails as the store did, and no fault explains it.
		 */
		EXCEPTION,

		/**
		 * Somebody leads without a lease, nobody leads, or listeners are not told of it.
		 */
		LEADER,

		/**
		 * A store is asked for what nobody needs.
		 */
		NEEDLESS,

		/**
		 * Somebody is told what is not so: for how long he waited, or whether a lease was
		 * held.
		 */
		MISTOLD,

		/**
		 * Somebody waits, and nothing is to end that.
		 */
		NO_REASON,

		/**
		 * What an instance believes of the servers of a quorum is not so for long.
		 */
		VOTES

	}

	@Override
	public String toString() {
		return "VIOLATION " + this.rule + ": " + this.details;
	}

}
