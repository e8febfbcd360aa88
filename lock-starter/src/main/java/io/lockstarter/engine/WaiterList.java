// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/**
 * First in, first out, with removal from the middle in constant time and nothing
 * allocated: a waiter is its own link. Guarded by the mutex of its {@link LocalQueue}.
 */
final class WaiterList {

	private @Nullable Waiter first;

	private @Nullable Waiter last;

	private int size;

	private int exclusive;

	// those whose outcome is decided but not told yet, linked by their next
	private @Nullable Waiter decidedFirst;

	private @Nullable Waiter decidedLast;

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

	@Nullable Waiter poll() {
		Waiter waiter = this.first;
		if (waiter != null) {
			remove(waiter);
		}
		return waiter;
	}

	/**
	 * Add one that left the list, as its outcome is decided, to those that are told next.
	 */
	void decided(Waiter waiter) {
		if (this.decidedLast != null) {
			this.decidedLast.next = waiter;
		}
		else {
			this.decidedFirst = waiter;
		}
		this.decidedLast = waiter;
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

}
