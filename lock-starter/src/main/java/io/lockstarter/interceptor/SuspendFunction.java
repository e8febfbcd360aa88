package io.lockstarter.interceptor;

import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.LockScope;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A Kotlin suspend function, which Spring turns into a publisher before its interceptors
 * and back behind them.
 */
final class SuspendFunction implements PublisherType {

	private final boolean returnsFlow;

	SuspendFunction(AnnotatedMethod subject) {
		this.returnsFlow = LaterResults.FLOW.equals(LaterResults.kotlinType(subject).getName());
	}

	@Override
	public Work invoke(LockCall call, LockScope scope) throws Throwable {
		@Nullable Object[] parameters = call.parameters().clone();
		int last = parameters.length - 1;
		if (!(parameters[last] instanceof Continuation<?> continuation)) {
			throw new IllegalStateException("A suspend function needs a continuation");
		}
		CoroutineLock lock = CoroutineLock.of(scope, continuation);
		parameters[last] = lock.around(continuation);
		Object result = scope.<@Nullable Object, Throwable>call(call.with(parameters));
		return new Work(PublisherType.publisherOf(result), lock::over);
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
