// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Types of which a value may be there before what it stands for is.
 *
 * @since 0.1
 */
public final class LateTypes {

	// By name, as some need not be on the class path, and the others are not loaded for
	// a comparison.
	private static final Set<String> PENDING = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Flow$Publisher",
			"org.reactivestreams.Publisher", "io.reactivex.rxjava3.core.CompletableSource",
			"io.reactivex.rxjava3.core.MaybeSource", "io.reactivex.rxjava3.core.ObservableSource",
			"io.reactivex.rxjava3.core.SingleSource", "io.smallrye.mutiny.Uni", "kotlinx.coroutines.Job",
			"kotlinx.coroutines.channels.ReceiveChannel", "kotlinx.coroutines.flow.Flow", "kotlin.Lazy",
			"kotlin.sequences.Sequence", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final Set<String> LAZY = Set.of("java.util.concurrent.Callable", "java.util.stream.BaseStream",
			"java.util.Iterator", "java.util.Spliterator");

	// A class that implements one of these may well be data, unless it is that of a
	// lambda.
	private static final Set<String> CODE = Set.of("java.lang.Runnable", "java.util.function.Supplier",
			"java.util.function.BooleanSupplier", "java.util.function.IntSupplier", "java.util.function.LongSupplier",
			"java.util.function.DoubleSupplier", "kotlin.jvm.functions.Function0");

	private static final ClassValue<Boolean> IS_LATE = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return CODE.contains(type.getName()) || isPending(type) || isAny(LAZY, type)
					|| (type.isHidden() && isAny(CODE, type));
		}

	};

	private LateTypes() {
	}

	/**
	 * Return whether a value stands for work that goes on, or is to begin when somebody
	 * asks for its result.
	 */
	public static boolean isLate(Class<?> type) {
		return IS_LATE.get(type);
	}

	/**
	 * Return whether a value is a result, or several, yet to come.
	 */
	static boolean isPending(Class<?> type) {
		return isAny(PENDING, type);
	}

	/**
	 * Return whether a type is one of some, or below one of them.
	 */
	public static boolean isAny(Set<String> names, @Nullable Class<?> type) {
		if (type == null || names.contains(type.getName())) {
			return type != null;
		}
		for (Class<?> parent : type.getInterfaces()) {
			if (isAny(names, parent)) {
				return true;
			}
		}
		return isAny(names, type.getSuperclass());
	}

}
