package io.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.Lease;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method that returns a future. The caller has a future of ours, which
 * passes its end on: to the acquisition, or to the future of the method. The leases end
 * with the latter in any case. A stage that cannot be cancelled keeps them to its end; a
 * {@code CompletableFuture} that is cancelled is complete, whatever its work does.
 */
final class FutureCall {

	private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

	private final AtomicBoolean answered = new AtomicBoolean();

	private final LaterLocks locks;

	private final LockSpec spec;

	private final LockCall call;

	FutureCall(LaterLocks locks, LockSpec spec, LockCall call) {
		this.locks = locks;
		this.spec = spec;
		this.call = call;
	}

	/**
	 * Begin.
	 * @param here whether to wait for the lock, and run the method, on this thread
	 * @return the future of the caller
	 */
	CompletableFuture<@Nullable Object> start(boolean here) {
		CompletableFuture<List<Lease>> acquiring = this.locks.acquire(this.spec, this.call);
		LaterLocks.on(this.result, (value, failure) -> acquiring.cancel(false));
		if (here) {
			await(acquiring);
			LaterLocks.on(acquiring, this::acquired);
			return this.result;
		}
		Runnable carried = this.locks.threads().carry(() -> LaterLocks.on(acquiring, this::acquired));
		LaterLocks.on(acquiring, (leases, failure) -> {
			if (this.result.isDone()) {
				acquired(leases, failure);
			}
			else {
				this.locks.threads().run(carried, (rejection) -> rejected(leases, failure, rejection));
			}
		});
		return this.result;
	}

	private void await(CompletableFuture<List<Lease>> acquiring) {
		try {
			acquiring.get();
		}
		catch (ExecutionException ex) {
			// left to whoever looks at the future
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			acquiring.completeExceptionally(new LockInterruptedException(this.spec.subject().toString(), ex));
		}
	}

	private void acquired(@Nullable List<Lease> leases, @Nullable Throwable failure) {
		if (leases == null) {
			if (!this.result.isDone() && failure != null) {
				answer(() -> this.locks.refused(this.spec, this.call, LaterLocks.cause(failure)));
			}
		}
		else if (this.result.isDone()) {
			LaterLocks.releaseAndForget(leases);
		}
		else {
			runLocked(LockScope.of(leases));
		}
	}

	private void rejected(@Nullable List<Lease> leases, @Nullable Throwable failure, RuntimeException rejection) {
		Throwable cause = LaterLocks.withoutThread(leases, failure, rejection);
		answer(() -> {
			throw cause;
		});
	}

	private void runLocked(LockScope scope) {
		CompletionStage<?> stage = invoke(scope);
		cancelWithResult(stage);
		if (this.spec.onLost() == OnLost.INTERRUPT) {
			for (Lease lease : scope.leases()) {
				this.locks.onLost(lease, () -> interrupt(scope, stage));
			}
		}
		LaterLocks.on(stage, (value, failure) -> ended(scope, value, failure));
	}

	private CompletionStage<?> invoke(LockScope scope) {
		try {
			Object stage = scope.<@Nullable Object, Throwable>call(this.call);
			if (stage == null) {
				throw new IllegalStateException(this.spec.subject() + " returned null in place of a future");
			}
			return (CompletionStage<?>) stage;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void interrupt(LockScope scope, CompletionStage<?> stage) {
		LockLostException lost = LaterLocks.lossOf(scope);
		if (lost != null) {
			answer(() -> this.locks.lost(this.call, lost));
			cancel(stage);
		}
	}

	private void ended(LockScope scope, @Nullable Object value, @Nullable Throwable failure) {
		LockLostException before = LaterLocks.lossOf(scope);
		LaterLocks.on(LaterLocks.release(scope.leases()), (released, unused) -> {
			LockLostException lost = (before != null) ? before : LaterLocks.lossOf(scope);
			if (lost != null && LaterLocks.prevails(lost, failure, this.spec.onLost())) {
				answer(() -> this.locks.lost(this.call, lost));
			}
			else if (this.answered.compareAndSet(false, true)) {
				complete(value, failure);
			}
		});
	}

	/**
	 * Complete the future of the caller with what stands in for the result of the method,
	 * a future or a value.
	 */
	private void answer(LaterLocks.Substitute substitute) {
		if (!this.answered.compareAndSet(false, true)) {
			return;
		}
		try {
			Object value = substitute.get();
			if (value instanceof CompletionStage<?> stage) {
				cancelWithResult(stage);
				LaterLocks.on(stage, this::complete);
			}
			else {
				complete(value, null);
			}
		}
		catch (Throwable ex) {
			complete(null, ex);
		}
	}

	private void complete(@Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(value);
		}
	}

	private void cancelWithResult(CompletionStage<?> stage) {
		LaterLocks.on(this.result, (value, failure) -> cancel(stage));
	}

	/**
	 * Without effect on a stage that is complete.
	 */
	private static void cancel(CompletionStage<?> stage) {
		if (stage instanceof Future<?> future) {
			try {
				future.cancel(true);
			}
			catch (UnsupportedOperationException ex) {
				// a minimal stage, which looks like a future
			}
		}
	}

}
