// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases of several keys, all or none. First all keys are tried at once. If one
 * of them is busy, whoever may wait takes the keys one after the other in their order,
 * which keeps those who want the same keys from waiting for each other. What was acquired
 * is given back without waiting for it if a later key cannot be had.
 */
final class MultiKeyAcquisition extends Acquisition {

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	// in steps
	private final List<DefaultLease> acquired = new ArrayList<>();

	// written in steps
	private volatile String awaited;

	private volatile @Nullable LockNotAcquiredException busy;

	MultiKeyAcquisition(LockEngine engine, List<String> keys, Terms terms) {
		super(engine, keys, terms);
		this.awaited = keys.get(0);
	}

	@Override
	String awaited() {
		return this.awaited;
	}

	@Override
	void begin() {
		if (this.keys.size() == 1 || this.terms.shared()) {
			next();
		}
		else {
			tryAll(FIRST_PAUSE);
		}
	}

	// All at once

	private void tryAll(long pause) {
		if (this.result.isDone()) {
			return;
		}
		CompletableFuture<List<DefaultLease>> attempt = MultiKeyAttempt.start(this);
		Completions.on(this.result, (leases, failure) -> attempt.cancel(false));
		Completions.on(attempt, (leases, failure) -> step(() -> {
			if (leases != null) {
				deliver(leases);
			}
			else if (failure != null) {
				notAtOnce(failure, pause);
			}
		}));
	}

	private void notAtOnce(Throwable failure, long pause) {
		long now = this.services.now();
		boolean passing = isPassing(failure);
		this.busy = (failure instanceof LockNotAcquiredException known) ? known : this.busy;
		if (!this.terms.triesOnce() && (passing || failure instanceof LockNotAcquiredException)) {
			next();
		}
		else if (passing && now + pause < this.services.waitLimit().untilAnswered(this.since, now)) {
			tryAllLater(pause, failure);
		}
		else {
			this.result.completeExceptionally(failure);
		}
	}

	private void tryAllLater(long pause, Throwable failure) {
		try {
			this.services.timing().watchdog().schedule(() -> step(() -> tryAll(2 * pause)), pause);
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
			this.result.completeExceptionally(failure);
		}
	}

	// One after the other

	private void next() {
		if (this.result.isDone()) {
			giveBack();
			return;
		}
		if (this.acquired.size() == this.keys.size()) {
			deliver(List.copyOf(this.acquired));
			return;
		}
		this.awaited = this.keys.get(this.acquired.size());
		join(Waiter.Kind.PART, this.awaited, this::decided);
	}

	private void decided(Waiter waiter) {
		step(() -> answered(waiter));
		DefaultLease lease = waiter.lease();
		if (lease != null && this.result.isCompletedExceptionally()) {
			// perhaps as there was no memory for that step
			var unused = lease.releaseUnused();
		}
	}

	private void answered(Waiter waiter) {
		DefaultLease lease = waiter.lease();
		if (lease != null) {
			this.acquired.add(lease);
			next();
			return;
		}
		RuntimeException failure = waiter.failure();
		fail((failure != null) ? failure
				: waiter.notAcquired(this.services.instance(), this.services.now(), this.outer));
	}

	@Override
	void leave() {
		try {
			super.leave();
		}
		finally {
			giveBack();
		}
	}

	private void giveBack() {
		List<DefaultLease> unused = List.copyOf(this.acquired);
		this.acquired.clear();
		DefaultLease.releaseAllUnused(unused);
	}

	// What came of it

	/**
	 * Deliver the leases, if they are all held yet: those of the first keys may have run
	 * out while the others were waited for.
	 */
	private void deliver(List<DefaultLease> leases) {
		this.acquired.clear();
		this.acquired.addAll(leases);
		DefaultLease lost = (leases.size() > 1)
				? leases.stream().filter((lease) -> !lease.isValid()).findFirst().orElse(null) : null;
		if (lost == null && this.result.complete(leases)) {
			this.acquired.clear();
			return;
		}
		giveBack();
		if (lost == null) {
			return;
		}
		if (this.services.now() < Ticker.plus(this.since, this.terms.waitNanos())) {
			step(this::begin);
		}
		else {
			this.result.completeExceptionally(new LockNotAcquiredException(lost.key(), new Details(waited(), List.of(),
					List.of(), null, 0, "its lease ran out while the other keys were waited for")));
		}
	}

	/**
	 * Tell why not all keys could be had. A key that the store called busy counts as busy
	 * although the store failed since: its holder may still be there, and a caller that
	 * goes on without its lock if the store fails must not run beside it.
	 */
	@Override
	void fail(Throwable failure) {
		LockNotAcquiredException known = this.busy;
		boolean busy = known != null && isPassing(failure)
				&& this.acquired.stream().noneMatch((lease) -> lease.key().equals(known.key()));
		try {
			giveBack();
		}
		finally {
			this.result.completeExceptionally((busy && known != null)
					? new LockNotAcquiredException(known.key(), waited(), known.holders()) : failure);
		}
	}

	private Duration waited() {
		return Duration.ofNanos(this.services.now() - this.since);
	}

}
