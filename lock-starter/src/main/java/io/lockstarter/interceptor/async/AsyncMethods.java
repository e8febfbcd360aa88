// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.interceptor.key.LateTypes;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
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

	// Ends with a variable whose bound contains itself.
	private static final int MAX_DEPTH = 8;

	private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	private static final String[] COROUTINES = { "kotlinx.coroutines.reactor.MonoKt", "kotlin.reflect.full.KClasses" };

	private static final String REMEDY = "Return a CompletableFuture, a Mono or a Flux, which are followed to their end, "
			+ "or the result itself, in a type of your own if that is what it is; "
			+ "or acquire with LockRegistry.acquireAsync and close the lease when the work is done";

	private static final boolean HTTP = isPresent("org.springframework.http.HttpEntity");

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
			checkContents(subject, ResolvableType.forType(kotlinResult(subject).getGenericParameterType()), 1);
			return Kind.REACTIVE;
		}
		checkContents(subject, subject.resultType(), 1);
		Class<?> type = resultType(subject);
		if (type == CompletionStage.class || type == CompletableFuture.class) {
			return Kind.FUTURE;
		}
		if (!LateTypes.isLate(type)) {
			return Kind.BLOCKING;
		}
		if (LateTypes.isAny(Set.of(JOB), type) || !REACTOR || adapter(type) == null) {
			throw late(subject, type);
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
		if (LateTypes.isLate(type) && !type.getName().equals(FLOW)) {
			throw late(subject, type);
		}
	}

	/**
	 * Refuse what contains results to come, though it is itself there or followed to its
	 * end. A class is no value of its type.
	 */
	private static void checkContents(AnnotatedMethod subject, ResolvableType type, int depth) {
		if (depth > MAX_DEPTH || type.resolve(Object.class) == Class.class) {
			return;
		}
		List<ResolvableType> contents = type.isArray() ? List.of(type.getComponentType()) : List.of(type.getGenerics());
		for (ResolvableType content : contents) {
			Class<?> resolved = content.resolve(Object.class);
			if (LateTypes.isLate(resolved)) {
				throw late(subject, resolved);
			}
			checkContents(subject, content, depth + 1);
		}
	}

	/**
	 * Check what a blocking method returned whose declared type does not tell.
	 * @throws IllegalStateException if its work goes on
	 */
	public static void checkComplete(AnnotatedMethod subject, @Nullable Object result) {
		Object content = result;
		if (result instanceof Optional<?> optional) {
			content = optional.orElse(null);
		}
		else if (HTTP) {
			content = HttpBody.of(result);
		}
		if (content != null && LateTypes.isLate(content.getClass()) && saysNothing(subject, content != result)) {
			throw new IllegalStateException(
					"%s returned a %s, which is complete only later: its lock is released too early. %s"
						.formatted(subject, content.getClass().getTypeName(), REMEDY));
		}
	}

	private static boolean saysNothing(AnnotatedMethod subject, boolean contained) {
		ResolvableType type = subject.resultType();
		return type.resolve(Object.class) == Object.class
				|| (contained && type.getGeneric().resolve(Object.class) == Object.class);
	}

	/**
	 * Say why a call cannot be skipped.
	 * @return why it has no empty result; {@code null} if it has
	 */
	public static @Nullable String whyNeverEmpty(AnnotatedMethod subject) {
		if (isSuspending(subject)) {
			Class<?> type = kotlinType(subject);
			boolean nothing = type == void.class || type.getName().equals(FLOW) || kotlinResult(subject).isOptional();
			return nothing ? null : "its result (%s) is never null".formatted(type.getSimpleName());
		}
		Class<?> type = resultType(subject);
		ReactiveAdapter adapter = (REACTOR && LateTypes.isLate(type)) ? adapter(type) : null;
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
		return kotlinResult(subject).getParameterType();
	}

	private static MethodParameter kotlinResult(AnnotatedMethod subject) {
		return new MethodParameter(subject.method(), -1);
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
		return subject.resultType().resolve(subject.method().getReturnType());
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

	private static LockSetupException late(AnnotatedMethod subject, Class<?> type) {
		return refusal(subject, "its result (%s) is complete only after it returned".formatted(type.getSimpleName()));
	}

	private static LockSetupException refusal(AnnotatedMethod subject, String why) {
		return subject.invalid(why + ", and there is no way to know when: the lock would be released too early",
				REMEDY);
	}

	/**
	 * Loaded only if Spring's web support is there.
	 */
	private static final class HttpBody {

		static @Nullable Object of(@Nullable Object result) {
			return (result instanceof HttpEntity<?> entity) ? entity.getBody() : result;
		}

	}

}
