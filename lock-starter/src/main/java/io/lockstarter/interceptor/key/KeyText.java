// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Text of a value, or of each element of a collection or an array. Values whose text is
 * not the same for equal values in every JVM are refused.
 *
 * @param texts the texts, one at least, none of them empty
 * @param several whether the value was a collection or an array
 */
record KeyText(List<String> texts, boolean several) {

	private static final ClassValue<Optional<Method>> UNBOXING = new ClassValue<>() {

		@Override
		protected Optional<Method> computeValue(Class<?> type) {
			Method unboxing = KotlinDetector.isKotlinType(type) ? ReflectionUtils.findMethod(type, "unbox-impl") : null;
			if (unboxing != null) {
				ReflectionUtils.makeAccessible(unboxing);
			}
			return Optional.ofNullable(unboxing);
		}

	};

	static KeyText of(@Nullable Object value, String name, Refusal refusal) {
		Object present = unwrap(value);
		if (present == null || !isSeveral(present.getClass())) {
			return new KeyText(List.of(single(present, name + " is", refusal)), false);
		}
		Collection<?> elements = (present instanceof Collection<?> collection) ? collection
				: Arrays.asList(ObjectUtils.toObjectArray(present));
		if (elements.isEmpty()) {
			throw refusal.because(name + " has no elements", null);
		}
		List<String> texts = new ArrayList<>(elements.size());
		for (Object element : elements) {
			texts.add(single(unwrap(element), name + " has an element that is", refusal));
		}
		return new KeyText(texts, true);
	}

	private static String single(@Nullable Object value, String name, Refusal refusal) {
		if (value == null) {
			throw refusal.because(name + " null", null);
		}
		String flaw = TextFlaws.find(value);
		if (flaw != null) {
			throw refusal.because(name + flaw, null);
		}
		String text = value.toString();
		if (text == null || text.isEmpty()) {
			throw refusal.because(name + " empty", null);
		}
		return text;
	}

	/**
	 * Return what a box is for, as others have it without the box: a value class of
	 * Kotlin is in one if it may be null or is in a list.
	 */
	private static @Nullable Object unwrap(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return unwrap(optional.orElse(null));
		}
		if (value instanceof OptionalInt optional) {
			return optional.isPresent() ? optional.getAsInt() : null;
		}
		if (value instanceof OptionalLong optional) {
			return optional.isPresent() ? optional.getAsLong() : null;
		}
		if (value instanceof OptionalDouble optional) {
			return optional.isPresent() ? optional.getAsDouble() : null;
		}
		if (value instanceof AtomicReference<?> reference) {
			return unwrap(reference.get());
		}
		Method unboxing = (value != null) ? UNBOXING.get(value.getClass()).orElse(null) : null;
		return (unboxing != null) ? unwrap(ReflectionUtils.invokeMethod(unboxing, value)) : value;
	}

	// Bytes and characters are one value.
	private static boolean isSeveral(Class<?> type) {
		return Collection.class.isAssignableFrom(type)
				|| (type.isArray() && type != byte[].class && type != char[].class);
	}

	/**
	 * Makes the exception for a key that cannot be locked.
	 */
	@FunctionalInterface
	interface Refusal {

		IllegalArgumentException because(String problem, @Nullable Throwable cause);

	}

}
