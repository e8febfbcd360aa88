// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Acquires any one of several slots. First they are tried one after the other: a slot
 * that somebody in this JVM has or waits for is passed over without I/O. If none is free,
 * or if that takes too long, all of them are asked for at once, in the queue of each, and
 * whoever may wait does so there. The first that is granted counts; what is granted
 * besides goes on to the next in its queue.
 * <p>
 * A slot that the store refuses for good is left out. A slot that was called busy counts
 * as busy although the store failed since, as for a lock: its holder may still be there.
 */
final class PermitAcquisition extends Acquisition {

	private final Slots slots;

	private final Consumer<Slots> allTaken;

	// the waiters that were answered otherwise than by a lease, in this phase; in steps
	private final List<Waiter> refused = new ArrayList<>();

	// the slots that were called busy, in any phase; in steps
	private final Set<String> busy = new HashSet<>();

	/**
	 * Create an acquisition of one slot.
	 * @param allTaken is told when all slots were found taken
	 */
	PermitAcquisition(LockEngine engine, Slots slots, Terms terms, Consumer<Slots> allTaken) {
		super(engine, slots.keys(engine.services().instance()), terms);
		this.slots = slots;
		this.allTaken = allTaken;
	}

	@Override
	String awaited() {
		return this.slots.key();
	}

	// One slot after the other

	@Override
	void begin() {
		tryFrom(0);
	}

	private void tryFrom(int first) {
		for (int i = first; i < this.keys.size() && !this.result.isDone(); i++) {
			int next = i + 1;
			String key = this.keys.get(i);
			Waiter waiter = Waiter.calling(Waiter.Kind.CLAIM, key, this.terms.waiting(0), this.since,
					(decided) -> decided(decided, () -> tried(next)));
			if (isTrying(key, waiter)) {
				return;
			}
			refused(waiter);
		}
		if (!this.result.isDone()) {
			triedAll();
		}
	}

	private void tried(int next) {
		if (hasTriedForLong()) {
			awaitAny();
		}
		else {
			tryFrom(next);
		}
	}

	private void triedAll() {
		if (!this.terms.triesOnce() || this.refused.stream().anyMatch((waiter) -> isPassing(waiter.failure()))) {
			awaitAny();
		}
		else {
			refuse();
		}
		this.allTaken.accept(this.slots);
	}

	/**
	 * Return whether to ask for all slots at once now: the wait time is over, or a store
	 * that is slow would take as long for each of them.
	 */
	private boolean hasTriedForLong() {
		long timeout = this.services.settings().commandTimeout().toNanos();
		long limit = this.terms.triesOnce() ? timeout : Math.min(timeout, this.terms.waitNanos());
		return this.services.now() - this.since >= limit;
	}

	// All slots at once

	private void awaitAny() {
		this.refused.clear();
		Waiter.Kind kind = Waiter.Kind.PART;
		for (String key : this.keys) {
			if (this.result.isDone()) {
				return;
			}
			join(kind, key, (decided) -> decided(decided, this::refuseIfAllAre));
			kind = Waiter.Kind.OTHER_PART;
		}
	}

	// What came of it

	/**
	 * Deliver the lease that a waiter got. If it got none, another slot has to do.
	 */
	private void decided(Waiter waiter, Runnable otherwise) {
		DefaultLease lease = waiter.lease();
		if (lease == null) {
			step(() -> refused(waiter, otherwise));
		}
		else if (!this.result.complete(List.of(lease))) {
			var unused = lease.releaseUnused();
		}
	}

	private void refused(Waiter waiter, Runnable otherwise) {
		refused(waiter);
		if (waiter.failure() instanceof IllegalStateException shutDown) {
			fail(shutDown);
		}
		if (!this.result.isDone()) {
			otherwise.run();
		}
	}

	private void refused(Waiter waiter) {
		this.refused.add(waiter);
		if (waiter.isBusy()) {
			this.busy.add(waiter.key());
		}
	}

	private void refuseIfAllAre() {
		if (this.refused.size() == this.keys.size()) {
			refuse();
		}
	}

	/**
	 * Say why there is no permit. While a slot cannot be asked for that was never called
	 * busy, nobody knows whether one is free.
	 */
	private void refuse() {
		RuntimeException failure = null;
		for (Waiter waiter : this.refused) {
			boolean knownBusy = isPassing(waiter.failure()) && this.busy.contains(waiter.key());
			failure = (failure != null || knownBusy) ? failure : waiter.failure();
		}
		fail((failure != null) ? failure : allTaken());
	}

	private LockNotAcquiredException allTaken() {
		long now = this.services.now();
		List<String> holders = new ArrayList<>();
		List<String> threads = new ArrayList<>();
		Duration heldFor = null;
		int waiting = 0;
		for (Waiter waiter : this.refused) {
			holders.addAll(waiter.holders());
			BusyKey busy = waiter.busyKey();
			if (busy != null) {
				Details details = busy.details(Duration.ZERO, this.services.instance(), false, now);
				threads.addAll(details.threads());
				heldFor = (heldFor != null) ? heldFor : details.heldFor();
				waiting = Math.max(waiting, details.waiting());
			}
		}
		String description = "all permits are taken, %d of %d%s".formatted(this.slots.limit(), this.slots.limit(),
				holders.isEmpty() ? "" : " (by " + PrintableText.of(String.join(", ", holders)) + ")");
		return new LockNotAcquiredException(this.slots.key(),
				new Details(Duration.ofNanos(now - this.since), holders, threads, heldFor, waiting, description));
	}

}
