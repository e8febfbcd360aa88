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
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.key.AnnotatedMethod;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Creates the {@link BusyPolicy} that returns an empty result: {@code null}, an empty
 * optional, or an empty future or publisher.
 */
final class SkipCall {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	private SkipCall() {
	}

	static BusyPolicy of(AnnotatedMethod subject) {
		Class<?> type = subject.method().getReturnType();
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
				? ResolvableType.forMethodReturnType(subject.method(), subject.targetClass())
					.as(CompletionStage.class)
					.getGeneric()
					.resolve(Object.class)
				: type;
		Object nothing = EMPTY.get(result);
		return (call, busy, failures) -> nothing;
	}

}
