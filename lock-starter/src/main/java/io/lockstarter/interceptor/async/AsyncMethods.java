// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;

import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Distinguishes blocking and asynchronous methods, and refuses asynchronous ones whose
 * end cannot be noticed: their lock would be released too early.
 *
 * @since 0.1
 */
public final class AsyncMethods {

	private static final String JOB = "kotlinx.coroutines.Job";

	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	private static final String[] COROUTINES = { "kotlinx.coroutines.reactor.MonoKt", "kotlin.reflect.full.KClasses" };

	private static final Set<Class<?>> TYPES = Set.of(Future.class, CompletionStage.class, Flow.Publisher.class,
			Callable.class, BaseStream.class);

	// By name, as none of them needs to be on the class path.
	private static final Set<String> TYPE_NAMES = Set.of("org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.smallrye.mutiny.Uni", JOB, FLOW, "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private AsyncMethods() {
	}

	/**
	 * Kinds of methods, by when their work is done.
	 */
	public enum Kind {

		/**
		 * When it has returned.
		 */
		BLOCKING,

		/**
		 * When the future is complete that it returned.
		 */
		FUTURE,

		/**
		 * When the publisher has completed that it returned, or suspending is over.
		 */
		REACTIVE

	}

	/**
	 * Return when the work of a method is done.
	 * @throws LockSetupException if that cannot be known
	 */
	public static Kind kindOf(AnnotatedMethod subject) {
		if (isSuspending(subject)) {
			checkSuspending(subject);
			return Kind.REACTIVE;
		}
		Class<?> type = resultType(subject);
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return Kind.FUTURE;
		}
		if (!isAsynchronous(type)) {
			return Kind.BLOCKING;
		}
		if (isNamed(type, JOB) || !REACTOR || adapter(type) == null) {
			throw refusal(subject,
					"its result (%s) is complete only after it returned".formatted(type.getSimpleName()));
		}
		return Kind.REACTIVE;
	}

	private static void checkSuspending(AnnotatedMethod subject) {
		if (!KotlinDetector.isKotlinType(subject.method().getDeclaringClass())) {
			throw refusal(subject, "it looks like a suspend function, but is not written in Kotlin");
		}
		if (!REACTOR || !Arrays.stream(COROUTINES).allMatch(AsyncMethods::isPresent)) {
			throw subject.invalid(
					"Spring cannot intercept a suspend function without Reactor and its Kotlin extensions",
					"Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect");
		}
		Class<?> type = kotlinType(subject);
		if (isAsynchronous(type) && !type.getName().equals(FLOW)) {
			throw refusal(subject,
					"its result (%s) is complete only after it returned".formatted(type.getSimpleName()));
		}
	}

	/**
	 * Say why a call cannot be skipped.
	 * @return why it has no empty result; {@code null} if it has
	 */
	public static @Nullable String whyNeverEmpty(AnnotatedMethod subject) {
		if (isSuspending(subject)) {
			Class<?> type = kotlinType(subject);
			boolean nothing = type == void.class || type.getName().equals(FLOW)
					|| new MethodParameter(subject.method(), -1).isOptional();
			return nothing ? null : "its result (%s) is never null".formatted(type.getSimpleName());
		}
		Class<?> type = resultType(subject);
		ReactiveAdapter adapter = (REACTOR && isAsynchronous(type)) ? adapter(type) : null;
		return (adapter != null && !adapter.supportsEmpty()) ? "a %s is never empty".formatted(type.getSimpleName())
				: null;
	}

	public static boolean isSuspending(AnnotatedMethod subject) {
		return KotlinDetector.isSuspendingFunction(subject.method());
	}

	/**
	 * Return what a suspend function returns in the end.
	 */
	static Class<?> kotlinType(AnnotatedMethod subject) {
		return new MethodParameter(subject.method(), -1).getParameterType();
	}

	/**
	 * Return whether a method is called by a thread that has nothing else to do than to
	 * wait for it.
	 */
	public static boolean hasThreadOfItsOwn(AnnotatedMethod subject) {
		return AnnotatedElementUtils.hasAnnotation(subject.method(), Async.class)
				|| AnnotatedElementUtils.hasAnnotation(subject.targetClass(), Async.class);
	}

	static Class<?> resultType(AnnotatedMethod subject) {
		return ResolvableType.forMethodReturnType(subject.method(), subject.targetClass())
			.resolve(subject.method().getReturnType());
	}

	/**
	 * Return the adapter of a type that can be converted to a publisher and back without
	 * subscribing to it. Only if Reactor is there.
	 */
	static @Nullable ReactiveAdapter adapter(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		boolean fits = adapter != null && adapter.getDescriptor().isDeferred()
				&& type.isAssignableFrom(adapter.getReactiveType());
		return fits ? adapter : null;
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, AsyncMethods.class.getClassLoader());
	}

	private static boolean isNamed(@Nullable Class<?> type, String name) {
		return type != null && (type.getName().equals(name) || isNamed(type.getSuperclass(), name)
				|| Arrays.stream(type.getInterfaces()).anyMatch((parent) -> isNamed(parent, name)));
	}

	private static boolean isAsynchronous(@Nullable Class<?> type) {
		return type != null
				&& (TYPES.contains(type) || TYPE_NAMES.contains(type.getName()) || isAsynchronous(type.getSuperclass())
						|| Arrays.stream(type.getInterfaces()).anyMatch(AsyncMethods::isAsynchronous));
	}

	private static LockSetupException refusal(AnnotatedMethod subject, String why) {
		return subject.invalid(why + ", and there is no way to know when: the lock would be released too early",
				"Return a CompletableFuture, a Mono or a Flux, which are followed to their end, or the result itself; "
						+ "or acquire with LockRegistry.acquireAsync and close the lease when the work is done");
	}

}
