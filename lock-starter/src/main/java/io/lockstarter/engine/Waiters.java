// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.LockStoreException;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for a key in this JVM, first in, first out; for how long, and what they are
 * told when their wait ends without a lease. Guarded by the mutex of their
 * {@link LocalQueue}.
 * <p>
 * To be removed from the middle takes constant time, and nothing is allocated: a waiter
 * is its own link.
 */
final class Waiters {

	private final String key;

	private final Services services;

	private final Contender contender;

	private final CurrentLeases current;

	private @Nullable Waiter first;

	private @Nullable Waiter last;

	private int size;

	private int exclusive;

	// those whose outcome is decided but not told yet, linked by their next
	private @Nullable Waiter decidedFirst;

	private @Nullable Waiter decidedLast;

	/**
	 * Whether there may be some whose wait time is over, but not their wait limit.
	 */
	private boolean overdue;

	Waiters(String key, Services services, Contender contender, CurrentLeases current) {
		this.key = key;
		this.services = services;
		this.contender = contender;
		this.current = current;
	}

	boolean isEmpty() {
		return this.first == null;
	}

	@Nullable Waiter first() {
		return this.first;
	}

	/**
	 * Return whether the wait time of one of them is not over.
	 */
	boolean hasTime(long now) {
		for (Waiter waiter = this.first; waiter != null; waiter = waiter.next) {
			if (now < waiter.waitUntil()) {
				return true;
			}
		}
		return false;
	}

	int size() {
		return this.size;
	}

	/**
	 * Return whether one of them wants the key alone.
	 */
	boolean hasExclusive() {
		return this.exclusive > 0;
	}

	void add(Waiter waiter) {
		this.size++;
		this.exclusive += waiter.terms().shared() ? 0 : 1;
		waiter.linked = true;
		waiter.previous = this.last;
		if (this.last != null) {
			this.last.next = waiter;
		}
		else {
			this.first = waiter;
		}
		this.last = waiter;
	}

	boolean remove(Waiter waiter) {
		if (!waiter.linked) {
			return false;
		}
		this.size--;
		this.exclusive -= waiter.terms().shared() ? 0 : 1;
		waiter.linked = false;
		if (waiter.previous != null) {
			waiter.previous.next = waiter.next;
		}
		else {
			this.first = waiter.next;
		}
		if (waiter.next != null) {
			waiter.next.previous = waiter.previous;
		}
		else {
			this.last = waiter.previous;
		}
		waiter.previous = null;
		waiter.next = null;
		return true;
	}

	/**
	 * Note that the outcome of one that left is decided: it is told next.
	 */
	void decided(Waiter waiter) {
		// First of all, or nobody is told if a monitor finds no memory.
		if (this.decidedLast != null) {
			this.decidedLast.next = waiter;
		}
		else {
			this.decidedFirst = waiter;
		}
		this.decidedLast = waiter;
		this.services.news().decided(waiter);
	}

	/**
	 * Take those whose outcome is decided but not told yet.
	 * @return the first, linked to the others
	 */
	@Nullable Waiter takeDecided() {
		Waiter first = this.decidedFirst;
		this.decidedFirst = null;
		this.decidedLast = null;
		return first;
	}

	// How a wait begins and ends

	/**
	 * Add a waiter. Whoever cannot wait is told at once that the key is busy if it is:
	 * somebody has it, here or elsewhere. While the store fails nobody knows, nor while
	 * it is asked: then he hears of that answer.
	 */
	void enter(Waiter waiter) {
		boolean failing = this.contender.failure() != null;
		if (isBusyFor(waiter) && !failing && now() >= waiter.waitUntil()) {
			waiter.busy(busyKey(waiter));
			decided(waiter);
			return;
		}
		this.overdue |= failing || now() >= waiter.waitUntil();
		add(waiter);
		this.services.host().waiting(waiter);
		if (!this.current.isEmpty()) {
			this.services.host().listen();
		}
		else if (this.contender.isWaiting() && !failing) {
			waiter.answered(this.contender.last());
		}
	}

	/**
	 * Return whether it is known that a key cannot be had: whoever shares it may have it
	 * beside others who do, here or elsewhere, unless one waits who wants it alone.
	 */
	private boolean isBusyFor(Waiter waiter) {
		if (!waiter.terms().shared()) {
			return !this.current.isEmpty() || this.contender.isWaiting();
		}
		return this.contender.isWaiting() || this.current.isAlone() || (this.current.isShared() && hasExclusive());
	}

	/**
	 * End the wait of an acquirer if its time is over.
	 * @return when to ask again; {@link Ticker#NEVER} if the waiter is completed
	 */
	long expire(Waiter waiter) {
		if (!waiter.linked) {
			return Ticker.NEVER;
		}
		long now = now();
		long until = until(waiter, now);
		if (now < until) {
			this.overdue |= now >= waiter.waitUntil();
			return until;
		}
		timeOut(waiter, now);
		return Ticker.NEVER;
	}

	/**
	 * End the wait of all whose wait limit has passed.
	 * @return the earliest wait limit of those that try once; {@link Ticker#NEVER} if
	 * none does
	 */
	long timeOutOverdue() {
		long now = now();
		long once = Ticker.NEVER;
		Waiter next;
		for (Waiter waiter = first(); waiter != null; waiter = next) {
			next = waiter.next;
			long until = until(waiter, now);
			if (until <= now) {
				timeOut(waiter, now);
			}
			else if (waiter.terms().triesOnce()) {
				once = Math.min(once, until);
			}
		}
		return once;
	}

	void timeOutOverdueIfAny() {
		if (this.overdue) {
			this.overdue = false;
			timeOutOverdue();
		}
	}

	/**
	 * End a wait. What the store said last counts, except that a key that it called busy
	 * counts as busy although it failed since: its holder may still be there, and a
	 * caller that goes on without its lock if the store fails must not run beside it.
	 */
	private void timeOut(Waiter waiter, long now) {
		LockStoreException failure = this.contender.failure();
		if (isAnswered(waiter)) {
			waiter.busy(busyKey(waiter));
		}
		else if (failure != null) {
			waiter.fail(failure);
		}
		else {
			waiter.fail(this.services.store().noAnswer(this.key, now - waiter.since()));
		}
		take(waiter);
	}

	private long until(Waiter waiter, long now) {
		long waitUntil = waiter.waitUntil();
		return (now < waitUntil || isAnswered(waiter)) ? waitUntil
				: this.services.waitLimit().until(waiter, this.contender.askedAt(), now);
	}

	private boolean isAnswered(Waiter waiter) {
		LastAnswer last = this.contender.last();
		boolean failing = this.contender.failure() != null;
		if (waiter.terms().shared() && !this.current.isAlone()) {
			// What another one here was answered says nothing of him, unless it was the
			// same question.
			boolean asked = this.current.isEmpty() || hasExclusive() || last.shared();
			return waiter.isAnswered() || (this.contender.isWaiting() && !failing)
					|| (asked && last.wasBusy(waiter.since()));
		}
		return waiter.isAnswered() || !this.current.isEmpty() || last.wasBusy(waiter.since())
				|| (!this.contender.isAsking() && !failing);
	}

	boolean hasTimeFor(Waiter head, Ownership late) {
		long now = now();
		return late.fits(head.terms()) && now < this.services.waitLimit().until(head, Ticker.NEVER, now);
	}

	/**
	 * Answer those at the head who cannot wait.
	 * @param shared whether the key was asked for to be shared: if it was not, it may be
	 * busy only for those who want it alone
	 * @return whether somebody waits on
	 */
	boolean busyForHeads(boolean shared) {
		long now = now();
		for (Waiter head = first(); head != null; head = first()) {
			if (head.terms().shared() && !shared) {
				return false;
			}
			head.answered(this.contender.last());
			if (now < head.waitUntil()) {
				timeOutOverdueIfAny();
				return !isEmpty();
			}
			head.busy(busyKey(head));
			take(head);
		}
		return false;
	}

	void failAll(RuntimeException failure) {
		for (Waiter waiter = first(); waiter != null; waiter = first()) {
			fail(waiter, failure);
		}
	}

	void fail(Waiter waiter, RuntimeException failure) {
		if (remove(waiter)) {
			waiter.fail(failure);
			decided(waiter);
		}
	}

	private void take(Waiter waiter) {
		remove(waiter);
		decided(waiter);
	}

	/**
	 * Say what is known of the key, without asking the store: of a holder elsewhere, for
	 * how long it was seen. Called under the mutex.
	 */
	BusyKey busyKey(Waiter waiter) {
		int others = size() - (waiter.linked ? 1 : 0);
		DefaultLease lease = this.current.first();
		if (lease != null) {
			return new BusyKey(lease.ownerId(), lease, lease.since(), false, others);
		}
		boolean kept = waiter.terms().minHoldNanos() > 0;
		LastAnswer last = this.contender.last();
		return new BusyKey(last.holder(), null, last.since(), kept, others);
	}

	private long now() {
		return this.services.now();
	}

}
