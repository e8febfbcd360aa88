// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;

import io.lockstarter.platform.Ticker;

/**
 * Decides how long an acquirer waits for an answer of the store, which may be beyond its
 * wait time: for the command timeout at least, for a command that was sent in its last
 * moment, and for the first connection, so that a service which has just been started
 * does not take its store for unavailable.
 */
record WaitLimit(StoreClient store, long timeout) {

	private static final long LAST_ANSWER = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * Return up to when an acquirer waits that had no answer yet.
	 * @param askedAt when the command was sent that is in flight; {@link Ticker#NEVER} if
	 * there is none
	 */
	long until(Waiter waiter, long askedAt, long now) {
		if (waiter.kind() == Waiter.Kind.CLAIM) {
			return waiter.waitUntil();
		}
		long until = Math.max(waiter.waitUntil(), untilAnswered(waiter.since(), now));
		return (askedAt != Ticker.NEVER) ? Math.max(until, askedAt + Math.min(this.timeout, LAST_ANSWER)) : until;
	}

	/**
	 * Return up to when whoever tries once waits for the first answer.
	 */
	long untilAnswered(long since, long now) {
		long connectedAt = this.store.connectedAt();
		return Ticker.plus((connectedAt != Ticker.NEVER) ? Math.max(since, connectedAt) : now, this.timeout);
	}

	/**
	 * Return when to look for the first time at an acquirer that has no answer: whoever
	 * tries once is answered by then, as a rule.
	 */
	long firstLook(Waiter waiter) {
		return waiter.terms().triesOnce() ? waiter.since() + this.timeout : waiter.waitUntil();
	}

}
