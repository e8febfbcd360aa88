// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.LockScope;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Strategy for invoking a method whose result is followed as a publisher. Loaded only if
 * Reactor is there.
 *
 * @since 0.1
 */
public interface PublisherMethod {

	static PublisherMethod of(AnnotatedMethod subject) {
		return AsyncMethods.isSuspending(subject) ? new SuspendFunction(subject)
				: new Adapted(subject, Objects.requireNonNull(AsyncMethods.adapter(AsyncMethods.resultType(subject))));
	}

	/**
	 * Invoke the method.
	 * @param method the method, or the next lock around it
	 * @param parameters what the method receives
	 */
	Work invoke(Proceeding method, @Nullable Object[] parameters, LockScope scope) throws Throwable;

	/**
	 * Return whether the method runs on the {@link AsyncExecutor}.
	 */
	default boolean needsThread() {
		return true;
	}

	/**
	 * Return the result of a call as a publisher of the type that the method returns.
	 */
	Object restore(Flux<Object> result);

	/**
	 * Return as a publisher what a fallback or a handler answers: a publisher or future
	 * of whatever kind, a value, or nothing.
	 */
	static Flux<Object> publisherOf(@Nullable Object answer) {
		if (answer == null) {
			return Flux.empty();
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, answer);
		return (adapter != null) ? Flux.from(adapter.toPublisher(answer)) : Flux.just(answer);
	}

	/**
	 * What a method does under its lock.
	 *
	 * @param publisher its result
	 * @param over gives, once it was cancelled, what completes when it does nothing more
	 */
	record Work(Publisher<?> publisher, Supplier<CompletableFuture<?>> over) {

	}

	/**
	 * Method that returns a type which Spring can turn into a publisher and back.
	 */
	record Adapted(AnnotatedMethod subject, ReactiveAdapter adapter) implements PublisherMethod {

		@Override
		public Work invoke(Proceeding method, @Nullable Object[] parameters, LockScope scope) throws Throwable {
			Object result = method.proceed(parameters, scope);
			if (result == null) {
				throw new IllegalStateException(this.subject + " returned null in place of a publisher");
			}
			return new Work(this.adapter.toPublisher(result), () -> CompletableFuture.completedFuture(null));
		}

		@Override
		public Object restore(Flux<Object> result) {
			return this.adapter.fromPublisher(this.adapter.isMultiValue() ? result : result.singleOrEmpty());
		}

	}

}
