// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockScope;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;

/**
 * Coroutine context element that makes the leases of a suspend function the current
 * {@link LockScope} on each thread it is resumed on, and that notices the end of its
 * coroutine. Loaded only for a suspend function.
 */
final class CoroutineLockScope extends AbstractCoroutineContextElement
		implements ThreadContextElement<LockScope.Binding> {

	private static final CoroutineContext.Key<CoroutineLockScope> KEY = new CoroutineContext.Key<>() {
	};

	private final LockScope scope;

	private final @Nullable CoroutineLockScope outer;

	private volatile @Nullable Job job;

	private CoroutineLockScope(LockScope scope, @Nullable CoroutineLockScope outer) {
		super(KEY);
		this.scope = scope;
		this.outer = outer;
	}

	/**
	 * Create the element for a function.
	 * @param scope its leases
	 * @param continuation that of the caller, who may hold locks as well
	 */
	static CoroutineLockScope of(LockScope scope, Continuation<?> continuation) {
		return new CoroutineLockScope(scope, continuation.getContext().get(KEY));
	}

	/**
	 * Return a continuation whose context has this element too.
	 */
	<T> Continuation<T> around(Continuation<T> continuation) {
		CoroutineContext context = continuation.getContext().plus(this);
		return new Continuation<>() {

			@Override
			public CoroutineContext getContext() {
				return context;
			}

			@Override
			public void resumeWith(Object result) {
				continuation.resumeWith(result);
			}

		};
	}

	@Override
	public LockScope.Binding updateThreadContext(CoroutineContext context) {
		begun(context.get(Job.Key));
		return bind();
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, LockScope.Binding binding) {
		binding.close();
	}

	/**
	 * Return what completes when the coroutine of the function and all its children have
	 * ended. One that was cancelled before its start has none.
	 */
	CompletableFuture<?> over() {
		CompletableFuture<?> over = new CompletableFuture<>();
		Job job = this.job;
		if (job != null) {
			job.invokeOnCompletion((cause) -> {
				over.complete(null);
				return Unit.INSTANCE;
			});
		}
		else {
			over.complete(null);
		}
		return over;
	}

	/**
	 * The coroutine that begins first is that of the function: those inside it begin
	 * later. An outer lock of the same function sees the same coroutine.
	 */
	private void begun(@Nullable Job job) {
		if (this.job == null) {
			this.job = job;
			if (this.outer != null) {
				this.outer.begun(job);
			}
		}
	}

	/**
	 * Closing the outermost binding ends those inside it too.
	 */
	private LockScope.Binding bind() {
		if (this.outer == null) {
			return this.scope.bind();
		}
		LockScope.Binding outermost = this.outer.bind();
		this.scope.bind();
		return outermost;
	}

}
