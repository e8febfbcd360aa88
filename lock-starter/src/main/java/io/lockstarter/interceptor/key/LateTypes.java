// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

/**
 * Types of which a value may be there before what it stands for is.
 *
 * @since 0.1
 */
public final class LateTypes {

	// Most by name, as none of them needs to be on the class path.
	private static final Set<String> PENDING = Set.of(Future.class.getName(), CompletionStage.class.getName(),
			Flow.Publisher.class.getName(), "org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.smallrye.mutiny.Uni", "kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow", "kotlin.Lazy",
			"kotlin.sequences.Sequence", "org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final Set<String> LAZY = Set.of(Callable.class.getName(), BaseStream.class.getName(),
			Iterator.class.getName());

	// A class that implements one of these may well be data, unless it is that of a
	// lambda.
	private static final Set<String> CODE = Set.of(Runnable.class.getName(), Supplier.class.getName(),
			BooleanSupplier.class.getName(), IntSupplier.class.getName(), LongSupplier.class.getName(),
			DoubleSupplier.class.getName(), "kotlin.jvm.functions.Function0");

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

	private static boolean isAny(Set<String> names, @Nullable Class<?> type) {
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
