// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * {@link BusyPolicy} that returns nothing in place of a result.
 */
record SkippedCall(@Nullable Object nothing) implements BusyPolicy {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Return {@code null}, an empty optional, or an empty future or publisher.
	 */
	static BusyPolicy of(AnnotatedMethod subject) {
		// As the class has it: that of a generic one may be a variable.
		Class<?> type = subject.resultType().resolve(Object.class);
		if (type.isPrimitive() && type != void.class) {
			throw subject.invalid("onBusy = SKIP has nothing to return, as its result is the primitive " + type,
					"Return %s or an Optional, or name a fallback method"
						.formatted(ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()));
		}
		String neverEmpty = AsyncMethods.whyNeverEmpty(subject);
		if (neverEmpty != null) {
			throw subject.invalid("onBusy = SKIP has nothing to return, as " + neverEmpty,
					"Return a type that may be empty or null, or name a fallback method");
		}
		Class<?> result = CompletionStage.class.isAssignableFrom(type)
				? subject.resultType().as(CompletionStage.class).getGeneric().resolve(Object.class) : type;
		return new SkippedCall(EMPTY.get(result));
	}

	@Override
	public @Nullable Object handle(LockCall call, LockNotAcquiredException busy) {
		return this.nothing;
	}

}
