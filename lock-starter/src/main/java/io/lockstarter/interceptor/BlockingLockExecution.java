// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.function.Supplier;

import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.transaction.Hold;
import io.lockstarter.interceptor.transaction.TransactionRelease;
import org.jspecify.annotations.Nullable;

/**
 * {@link LockExecution} of methods whose work is done when they return. The lock is held
 * by the calling thread, and reentrant.
 */
record BlockingLockExecution(LockFailures failures, boolean transactions,
		Supplier<SectionObserver> sections) implements LockExecution {

	@Override
	public @Nullable Object run(LockSpec spec, LockCall call) throws Throwable {
		if (this.transactions) {
			TransactionRelease.check(spec.releasePhase());
		}
		Hold hold;
		try {
			hold = spec.source().acquire(call);
		}
		catch (LockNotAcquiredException | LockStoreException | LockLostException ex) {
			return this.failures.notAcquired(spec, call, ex);
		}
		return runLocked(spec, call, hold);
	}

	private @Nullable Object runLocked(LockSpec spec, LockCall call, Hold hold) throws Throwable {
		LockLostException lost = null;
		Throwable failure = null;
		Object result = null;
		boolean deferred = false;
		try {
			LockScope scope = LockScope.of(hold.leases());
			deferred = this.transactions && TransactionRelease.defer(spec.releasePhase(), hold, scope);
			LossWatch watch = LossWatch.start(spec.onLost(), scope);
			try {
				result = run(spec, call, scope);
				AsyncMethods.checkComplete(spec.subject(), result);
			}
			finally {
				lost = watch.end();
			}
		}
		catch (Throwable ex) {
			failure = ex;
		}
		if (!deferred) {
			LockLostException late = release(hold, failure);
			lost = (lost != null) ? lost : late;
		}
		if (lost != null && LockFailures.prevails(lost, failure, spec.onLost())) {
			return this.failures.handle(call, lost);
		}
		if (failure != null) {
			throw failure;
		}
		return result;
	}

	private @Nullable Object run(LockSpec spec, LockCall call, LockScope scope) throws Throwable {
		LockedSection section = new LockedSection(scope, this.failures, this.sections.get(), (key) -> null);
		Throwable failure = null;
		try {
			return section.run((current) -> runFenced(spec, call, current));
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			section.end(failure);
		}
	}

	// As in Proceeding.
	@SuppressWarnings("NullAway")
	private static @Nullable Object runFenced(LockSpec spec, LockCall call, LockScope scope) throws Throwable {
		TransactionFence fence = spec.fence();
		return (fence != null) ? fence.call(scope, call::run) : call.run(scope);
	}

	private static @Nullable LockLostException release(Hold hold, @Nullable Throwable failure) {
		try {
			hold.release();
		}
		catch (LockLostException ex) {
			return ex;
		}
		catch (RuntimeException | Error ex) {
			if (failure == null) {
				throw ex;
			}
			failure.addSuppressed(ex);
		}
		return null;
	}

}
