// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
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

	private volatile @Nullable LockNotAcquiredException busy;

	private MultiKeyAcquisition(LockEngine engine, List<String> keys, Terms terms) {
		this.engine = engine;
		this.services = engine.services();
		this.keys = keys;
		// Who needs several keys asks the store for all of them in any case.
		this.terms = (keys.size() == 1) ? terms : terms.withoutRetention();
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
		acquisition.begin();
		return acquisition.result;
	}

	private void begin() {
		if (this.keys.size() == 1 || this.terms.shared()) {
			next(List.of());
		}
		else {
			tryAll(FIRST_PAUSE);
		}
	}

	private void tryAll(long pause) {
		if (this.result.isDone()) {
			return;
		}
		CompletableFuture<List<DefaultLease>> attempt = MultiKeyAttempt.start(this.engine, this.keys,
				this.terms.waiting(0), this.since, this.outer);
		Completions.on(this.result, (leases, failure) -> attempt.cancel(false));
		Completions.on(attempt, (leases, failure) -> {
			if (leases != null) {
				deliver(leases);
			}
			else if (failure != null) {
				notAtOnce(failure, pause);
			}
		});
	}

	private void notAtOnce(Throwable failure, long pause) {
		boolean passing = isPassing(failure);
		this.busy = (failure instanceof LockNotAcquiredException known) ? known : this.busy;
		if (!this.terms.triesOnce() && (passing || failure instanceof LockNotAcquiredException)) {
			next(List.of());
		}
		else if (passing && this.services.now() + pause < limit()) {
			tryAllLater(pause, failure);
		}
		else if (failure instanceof LockNotAcquiredException known && mayBeRetained(known)) {
			// Each that another instance retains is recalled.
			next(List.of());
		}
		else if (this.result.completeExceptionally(failure)) {
			this.services.monitoring().failedAtOnce(this.keys, this.terms.name(), this.since, failure);
		}
	}

	private static boolean mayBeRetained(LockNotAcquiredException busy) {
		return busy.holders().stream().anyMatch(OwnerIdSequence::mayRetain);
	}

	private void tryAllLater(long pause, Throwable failure) {
		try {
			this.services.timing().watchdog().schedule(() -> tryAll(2 * pause), pause);
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

	private void next(List<DefaultLease> acquired) {
		if (acquired.size() == this.keys.size()) {
			deliver(acquired);
			return;
		}
		if (this.result.isDone()) {
			DefaultLease.releaseAllUnused(acquired);
			return;
		}
		AsyncRequest request = new AsyncRequest(this.engine, Waiter.Kind.WHOLE, this.keys.get(acquired.size()),
				this.terms, this.since, (waiter) -> answered(acquired, waiter));
		try {
			request.start();
		}
		catch (RuntimeException | Error ex) {
			request.giveUp();
			fail(acquired, ex);
			return;
		}
		Completions.on(this.result, (leases, failure) -> {
			if (request.giveUp()) {
				DefaultLease.releaseAllUnused(acquired);
			}
		});
	}

	private void answered(List<DefaultLease> acquired, Waiter waiter) {
		DefaultLease lease = waiter.lease();
		if (lease != null) {
			List<DefaultLease> more = new ArrayList<>(acquired);
			more.add(lease);
			next(more);
			return;
		}
		RuntimeException failure = waiter.failure();
		fail(acquired, (failure != null) ? failure
				: waiter.notAcquired(this.services.instance(), this.services.now(), this.outer));
	}

	/**
	 * Deliver the leases, if they are all held yet: those of the first keys may have run
	 * out while the others were waited for.
	 */
	private void deliver(List<DefaultLease> leases) {
		DefaultLease lost = leases.stream().filter((lease) -> !lease.isValid()).findFirst().orElse(null);
		if (lost == null) {
			if (!this.result.complete(leases)) {
				DefaultLease.releaseAllUnused(leases);
			}
			return;
		}
		DefaultLease.releaseAllUnused(leases);
		if (this.services.now() < Ticker.plus(this.since, this.terms.waitNanos())) {
			begin();
		}
		else {
			LockNotAcquiredException failure = new LockNotAcquiredException(lost.key(), new Details(waited(), List.of(),
					List.of(), null, 0, "its lease ran out while the other keys were waited for"));
			if (this.result.completeExceptionally(failure)) {
				this.services.monitoring().failedAtOnce(this.keys, this.terms.name(), this.since, failure);
			}
		}
	}

	/**
	 * Tell why not all keys could be had. A key that the store called busy counts as busy
	 * although the store failed since: its holder may still be there, and a caller that
	 * goes on without its lock if the store fails must not run beside it.
	 */
	private void fail(List<DefaultLease> acquired, Throwable failure) {
		LockNotAcquiredException known = this.busy;
		boolean busy = known != null && isPassing(failure)
				&& acquired.stream().noneMatch((lease) -> lease.key().equals(known.key()));
		DefaultLease.releaseAllUnused(acquired);
		this.result.completeExceptionally((busy && known != null)
				? new LockNotAcquiredException(known.key(), waited(), known.holders()) : failure);
	}

	private Duration waited() {
		return Duration.ofNanos(this.services.now() - this.since);
	}

}
