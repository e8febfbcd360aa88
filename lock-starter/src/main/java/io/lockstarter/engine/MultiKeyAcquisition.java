// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.platform.SerialExecutor;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases of several keys, all or none. First all keys are tried at once. If one
 * of them is busy, whoever may wait takes the keys one after the other in their order,
 * which keeps those who want the same keys from waiting for each other. What was acquired
 * is given back without waiting for it if a later key cannot be had.
 */
final class MultiKeyAcquisition {

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private final LockEngine engine;

	private final Services services;

	private final List<String> keys;

	private final Terms terms;

	private final long since;

	private final @Nullable LockScope outer = AcquireOperations.outerScope();

	private final CompletableFuture<List<DefaultLease>> result = new CompletableFuture<>();

	// One at a time, and none within another: a store may answer at once, key after key.
	private final Executor steps = new SerialExecutor(Runnable::run, Integer.MAX_VALUE);

	// in steps
	private final List<DefaultLease> acquired = new ArrayList<>();

	// written in steps
	private volatile @Nullable AsyncRequest request;

	private volatile @Nullable LockNotAcquiredException busy;

	private MultiKeyAcquisition(LockEngine engine, List<String> keys, Terms terms) {
		this.engine = engine;
		this.services = engine.services();
		this.keys = keys;
		this.terms = terms;
		this.since = this.services.now();
	}

	/**
	 * Start to acquire.
	 * @return completes with the leases in the order of the keys, on any thread but not
	 * under a mutex; whoever cancels it gets none
	 */
	static CompletableFuture<List<DefaultLease>> start(LockEngine engine, List<String> keys, Terms terms) {
		MultiKeyAcquisition acquisition = new MultiKeyAcquisition(engine, keys, terms);
		engine.refuseAtShutdown(acquisition.result);
		Completions.on(acquisition.result, (leases, failure) -> acquisition.ended(failure));
		acquisition.step(acquisition::begin);
		return acquisition.result;
	}

	private void begin() {
		if (this.keys.size() == 1 || this.terms.shared()) {
			next();
		}
		else {
			tryAll(FIRST_PAUSE);
		}
	}

	/**
	 * Tell the monitors, and have nothing left behind, whoever ended it.
	 */
	private void ended(@Nullable Throwable failure) {
		if (failure instanceof CancellationException) {
			AsyncRequest last = this.request;
			this.services.news()
				.gaveUp((last != null) ? last.key() : this.keys.get(0), this.terms.name(), this.since);
		}
		else if (failure != null) {
			this.services.news().failedAtOnce(this.keys, this.terms.name(), this.since, failure);
		}
		step(this::giveUp);
	}

	private void step(Runnable step) {
		try {
			this.steps.execute(() -> contain(step));
		}
		catch (RuntimeException | Error ex) {
			this.result.completeExceptionally(ex);
		}
	}

	/**
	 * Whatever goes wrong, whoever waits is told, and nothing stays acquired.
	 */
	private void contain(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException | Error ex) {
			fail(ex);
		}
	}

	// All at once

	private void tryAll(long pause) {
		if (this.result.isDone()) {
			return;
		}
		CompletableFuture<List<DefaultLease>> attempt = MultiKeyAttempt.start(this.engine, this.keys,
				this.terms.waiting(0), this.since, this.outer);
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
		boolean passing = isPassing(failure);
		this.busy = (failure instanceof LockNotAcquiredException known) ? known : this.busy;
		if (!this.terms.triesOnce() && (passing || failure instanceof LockNotAcquiredException)) {
			next();
		}
		else if (passing && this.services.now() + pause < limit()) {
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

	private static boolean isPassing(Throwable failure) {
		return failure instanceof LockStoreException store && store.isTransient();
	}

	private long limit() {
		Waiter whole = Waiter.calling(Waiter.Kind.WHOLE, this.keys.get(0), this.terms, this.since, () -> {
		});
		return this.services.waitLimit().until(whole, Ticker.NEVER, this.services.now());
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
		AsyncRequest next = new AsyncRequest(this.engine, Waiter.Kind.PART, this.keys.get(this.acquired.size()),
				this.terms, this.since, this::decided);
		this.request = next;
		try {
			next.start();
		}
		catch (RuntimeException | Error ex) {
			next.giveUp();
			fail(ex);
		}
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

	private void giveUp() {
		AsyncRequest last = this.request;
		if (last != null) {
			// Without effect if it was decided: then its answer is still to be acted on.
			last.giveUp();
		}
		giveBack();
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
		DefaultLease lost = leases.stream().filter((lease) -> !lease.isValid()).findFirst().orElse(null);
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
	private void fail(Throwable failure) {
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
