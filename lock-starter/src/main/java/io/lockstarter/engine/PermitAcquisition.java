// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.LockStoreException;
import io.lockstarter.PrintableText;
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
final class PermitAcquisition {

	private final LockEngine engine;

	private final Services services;

	private final Slots slots;

	private final List<String> keys;

	private final Terms terms;

	private final long since;

	// the waiters that were answered otherwise than by a lease, in this phase
	private final Queue<Waiter> refused = new ConcurrentLinkedQueue<>();

	// the slots that were called busy, in any phase
	private final Set<String> busy = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<List<DefaultLease>> result = new CompletableFuture<>();

	private PermitAcquisition(LockEngine engine, Slots slots, Terms terms) {
		this.engine = engine;
		this.services = engine.services();
		this.slots = slots;
		this.keys = slots.keys(this.services.instance());
		this.terms = terms;
		this.since = this.services.now();
	}

	/**
	 * Start to acquire.
	 * @return completes with one lease, on any thread but not under a mutex; whoever
	 * cancels it gets none
	 */
	static CompletableFuture<List<DefaultLease>> start(LockEngine engine, Slots slots, Terms terms) {
		PermitAcquisition acquisition = new PermitAcquisition(engine, slots, terms);
		engine.refuseAtShutdown(acquisition.result);
		Completions.on(acquisition.result, (lease, failure) -> acquisition.ended(failure));
		try {
			acquisition.tryFrom(0);
		}
		catch (RuntimeException | Error ex) {
			acquisition.result.completeExceptionally(ex);
		}
		return acquisition.result;
	}

	private void ended(@Nullable Throwable failure) {
		if (failure instanceof CancellationException) {
			this.services.news().gaveUp(this.slots.key(), this.terms.name(), this.since);
		}
		else if (failure != null) {
			this.services.news().failedAtOnce(List.of(this.slots.key()), this.terms.name(), this.since, failure);
		}
	}

	// One slot after the other

	private void tryFrom(int first) {
		for (int i = first; i < this.keys.size(); i++) {
			if (this.result.isDone() || isTrying(this.keys.get(i), i + 1)) {
				return;
			}
		}
		triedAll();
	}

	/**
	 * Try a slot, unless it is taken here.
	 * @param next where to go on if it is taken elsewhere
	 * @return whether its answer is awaited
	 */
	private boolean isTrying(String key, int next) {
		Attempt attempt = new Attempt(next);
		Waiter waiter = Waiter.calling(Waiter.Kind.CLAIM, key, this.terms.waiting(0), this.since, attempt::decided);
		attempt.waiter = waiter;
		Claim claim;
		try {
			claim = this.engine.claim(key, waiter);
		}
		catch (RuntimeException | Error ex) {
			this.result.completeExceptionally(ex);
			return true;
		}
		if (claim == null) {
			refused(waiter);
			return false;
		}
		try {
			Completions.on(this.services.store().acquire(claim.command()), claim::answered);
		}
		catch (RuntimeException | Error ex) {
			claim.answered(null, ex);
		}
		// Without effect if it was completed with this slot.
		Completions.on(this.result, (lease, failure) -> claim.giveUp());
		return true;
	}

	private void triedAll() {
		if (!this.terms.triesOnce() || this.refused.stream().anyMatch(PermitAcquisition::isPassing)) {
			awaitAny();
		}
		else {
			refuse();
		}
		this.engine.limitCheck().allTaken(this.slots);
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
		AtomicInteger left = new AtomicInteger(this.keys.size());
		Waiter.Kind kind = Waiter.Kind.PART;
		for (String key : this.keys) {
			if (this.result.isDone()) {
				return;
			}
			AsyncRequest request = new AsyncRequest(this.engine, kind, key, this.terms, this.since, (waiter) -> {
				if (isRefused(waiter) && left.decrementAndGet() == 0) {
					refuse();
				}
			});
			kind = Waiter.Kind.OTHER_PART;
			try {
				request.start();
			}
			catch (RuntimeException | Error ex) {
				request.giveUp();
				this.result.completeExceptionally(ex);
				return;
			}
			Completions.on(this.result, (lease, failure) -> request.giveUp());
		}
	}

	// What came of it

	/**
	 * Deliver the lease that a waiter got, if it got one.
	 * @return whether another slot has to do
	 */
	private boolean isRefused(Waiter waiter) {
		DefaultLease lease = waiter.lease();
		if (lease != null) {
			if (!this.result.complete(List.of(lease))) {
				var unused = lease.releaseUnused();
			}
			return false;
		}
		refused(waiter);
		if (waiter.failure() instanceof IllegalStateException shutDown) {
			this.result.completeExceptionally(shutDown);
		}
		return !this.result.isDone();
	}

	private void refused(Waiter waiter) {
		this.refused.add(waiter);
		if (waiter.isBusy()) {
			this.busy.add(waiter.key());
		}
	}

	/**
	 * Say why there is no permit. While a slot cannot be asked for that was never called
	 * busy, nobody knows whether one is free.
	 */
	private void refuse() {
		RuntimeException failure = null;
		for (Waiter waiter : this.refused) {
			boolean knownBusy = isPassing(waiter) && this.busy.contains(waiter.key());
			failure = (failure != null || knownBusy) ? failure : waiter.failure();
		}
		this.result.completeExceptionally((failure != null) ? failure : allTaken());
	}

	private static boolean isPassing(Waiter waiter) {
		return waiter.failure() instanceof LockStoreException failure && failure.isTransient();
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

	/**
	 * One slot that is being tried.
	 */
	private final class Attempt {

		private final int next;

		private volatile @Nullable Waiter waiter;

		Attempt(int next) {
			this.next = next;
		}

		void decided() {
			Waiter decided = this.waiter;
			if (decided == null || !isRefused(decided)) {
				return;
			}
			try {
				if (hasTriedForLong()) {
					awaitAny();
				}
				else {
					tryFrom(this.next);
				}
			}
			catch (RuntimeException | Error ex) {
				PermitAcquisition.this.result.completeExceptionally(ex);
			}
		}

	}

}
