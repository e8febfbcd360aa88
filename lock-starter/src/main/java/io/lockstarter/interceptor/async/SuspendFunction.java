// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import io.lockstarter.LockScope;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A Kotlin suspend function, which Spring turns into a publisher before its interceptors
 * and back behind them.
 */
final class SuspendFunction implements PublisherMethod {

	private final boolean returnsFlow;

	SuspendFunction(AnnotatedMethod subject) {
		this.returnsFlow = AsyncMethods.FLOW.equals(AsyncMethods.kotlinType(subject).getName());
	}

	@Override
	public Work invoke(Proceeding method, @Nullable Object[] arguments, LockScope scope) throws Throwable {
		@Nullable Object[] parameters = arguments.clone();
		int last = parameters.length - 1;
		if (!(parameters[last] instanceof Continuation<?> continuation)) {
			throw new IllegalStateException("A suspend function needs a continuation");
		}
		CoroutineLockScope lock = CoroutineLockScope.of(scope, continuation);
		parameters[last] = lock.around(continuation);
		Object result = method.proceed(parameters, scope);
		return new Work(PublisherMethod.publisherOf(result), lock::over);
	}

	/**
	 * It goes on where the dispatcher of its caller says.
	 */
	@Override
	public boolean needsThread() {
		return false;
	}

	@Override
	public Object restore(Flux<Object> result) {
		return this.returnsFlow ? result : result.singleOrEmpty();
	}

}
