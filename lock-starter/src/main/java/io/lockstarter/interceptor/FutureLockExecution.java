// SPDX-License-Identifier: Apache-2.0
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
import io.lockstarter.interceptor.async.Leases;
import org.jspecify.annotations.Nullable;

/**
 * {@link LockExecution} of methods that return a {@link CompletionStage}. The leases are
 * held until the stage that the method returned is complete.
 */
final class FutureLockExecution extends AsyncLockExecution {

	private final boolean onCallingThread;

	/**
	 * Create the execution.
	 * @param onCallingThread whether the calling thread waits for the lock and runs the
	 * method, as it is there for nothing else
	 */
	FutureLockExecution(Support support, boolean onCallingThread) {
		super(support);
		this.onCallingThread = onCallingThread;
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // it is returned
	public Object run(LockSpec spec, LockCall call) {
		return new Call(spec, call).start();
	}

	/**
	 * One call of a method that returns a future. The caller has a future of ours, which
	 * passes its end on: to the acquisition, or to the future of the method. The leases
	 * end with the latter in any case. A stage that cannot be cancelled keeps them to its
	 * end; a {@code CompletableFuture} that is cancelled is complete, whatever its work
	 * does.
	 */
	private final class Call {

		private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

		private final AtomicBoolean answered = new AtomicBoolean();

		private final LockSpec spec;

		private final LockCall call;

		Call(LockSpec spec, LockCall call) {
			this.spec = spec;
			this.call = call;
		}

		CompletableFuture<@Nullable Object> start() {
			CompletableFuture<List<Lease>> grant = new CompletableFuture<>();
			on(this.result, (value, failure) -> grant.cancel(false));
			if (FutureLockExecution.this.onCallingThread) {
				acquire(this.spec, this.call, grant, false);
				await(grant);
				on(grant, this::granted);
			}
			else {
				on(grant, this::granted);
				acquire(this.spec, this.call, grant, true);
			}
			return this.result;
		}

		private void await(CompletableFuture<List<Lease>> grant) {
			try {
				grant.get();
			}
			catch (ExecutionException ex) {
				// left to whoever looks at the future
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				grant.completeExceptionally(new LockInterruptedException(this.spec.subject().toString(), ex));
			}
		}

		private void granted(@Nullable List<Lease> leases, @Nullable Throwable failure) {
			if (leases != null) {
				runLocked(LockScope.of(leases));
			}
			else if (failure != null && !this.result.isDone()) {
				answer(() -> failures().notAcquired(this.spec, this.call, failure));
			}
		}

		private void runLocked(LockScope scope) {
			LockedSection section = section(scope, (key) -> null);
			// What the method does before it returns is in no future that can be
			// cancelled.
			LossWatch watch = LossWatch.start(this.spec.onLost(), scope);
			CompletionStage<?> stage = invoke(section);
			var unused = watch.end();
			cancelWithResult(stage);
			if (this.spec.onLost() == OnLost.INTERRUPT) {
				for (Lease lease : scope.leases()) {
					onLost(lease, () -> interrupt(scope, stage));
				}
			}
			on(stage, (value, failure) -> {
				section.end((failure != null) ? Leases.cause(failure) : null);
				ended(scope, value, failure);
			});
		}

		private CompletionStage<?> invoke(LockedSection section) {
			try {
				Object stage = section.run(this.call::run);
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
			LockLostException lost = Leases.lossOf(scope);
			if (lost != null) {
				answer(() -> failures().handle(this.call, lost));
				cancel(stage);
			}
		}

		private void ended(LockScope scope, @Nullable Object value, @Nullable Throwable failure) {
			LockLostException before = Leases.lossOf(scope);
			on(Leases.release(scope.leases()), (released, unused) -> {
				LockLostException lost = (before != null) ? before : Leases.lossOf(scope);
				Throwable cause = (failure != null) ? Leases.cause(failure) : null;
				if (lost != null && LockFailures.prevails(lost, cause, this.spec.onLost())) {
					answer(() -> failures().handle(this.call, lost));
				}
				else if (this.answered.compareAndSet(false, true)) {
					complete(value, failure);
				}
			});
		}

		/**
		 * Complete the future of the caller with what stands in for the result of the
		 * method, a future or a value.
		 */
		private void answer(Substitute substitute) {
			if (!this.answered.compareAndSet(false, true)) {
				return;
			}
			try {
				Object value = substitute.get();
				if (value instanceof CompletionStage<?> stage) {
					cancelWithResult(stage);
					on(stage, this::complete);
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
			on(this.result, (value, failure) -> cancel(stage));
		}

		/**
		 * Without effect on a stage that is complete.
		 */
		private void cancel(CompletionStage<?> stage) {
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

}
