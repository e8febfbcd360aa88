package io.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * What a method returns that is followed as a publisher.
 */
interface PublisherType {

	/**
	 * Invoke the method.
	 * @param call the call
	 * @param scope its leases
	 * @return what came of it
	 * @throws Throwable what the method throws
	 */
	Work invoke(LockCall call, LockScope scope) throws Throwable;

	/**
	 * Return whether the method is to run on a thread of ours.
	 */
	default boolean needsThread() {
		return true;
	}

	/**
	 * Return the result of a call in the form that its caller expects.
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
	 * A type that Spring knows how to turn into a publisher and back.
	 */
	final class Adapted implements PublisherType {

		private final AnnotatedMethod subject;

		private final ReactiveAdapter adapter;

		Adapted(AnnotatedMethod subject, ReactiveAdapter adapter) {
			this.subject = subject;
			this.adapter = adapter;
		}

		@Override
		public Work invoke(LockCall call, LockScope scope) throws Throwable {
			Object result = scope.<@Nullable Object, Throwable>call(call);
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
