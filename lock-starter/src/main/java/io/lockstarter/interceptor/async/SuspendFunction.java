/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
