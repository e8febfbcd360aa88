package io.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/**
 * First in, first out, with removal from the middle in constant time and nothing
 * allocated: a waiter is its own link. Guarded by the mutex of its {@link LocalQueue}.
 */
final class WaiterList {

	private @Nullable Waiter first;

	private @Nullable Waiter last;

	boolean isEmpty() {
		return this.first == null;
	}

	@Nullable Waiter first() {
		return this.first;
	}

	boolean isSingle() {
		return this.first != null && this.first == this.last;
	}

	void add(Waiter waiter) {
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

}
