// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Text of a value, or of each element of a collection or an array. Values whose text is
 * not the same for equal values in every JVM are refused.
 *
 * @param texts the texts, one at least, none of them empty
 * @param several whether the value was a collection or an array
 */
record KeyText(List<String> texts, boolean several) {

	// Ends with whatever contains itself.
	private static final int MAX_DEPTH = 8;

	private static final ClassValue<Optional<String>> FLAWS = new ClassValue<>() {

		@Override
		protected Optional<String> computeValue(Class<?> type) {
			return Optional.ofNullable(findFlaw(type)).map((flaw) -> type.getTypeName() + ", " + flaw);
		}

	};

	static KeyText of(@Nullable Object value, String name, Refusal refusal) {
		Object present = ObjectUtils.unwrapOptional(value);
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
			texts.add(single(ObjectUtils.unwrapOptional(element), name + " has an element that is", refusal));
		}
		return new KeyText(texts, true);
	}

	private static String single(@Nullable Object value, String name, Refusal refusal) {
		if (value == null) {
			throw refusal.because(name + " null", null);
		}
		String unstable = whyUnstable(value);
		if (unstable != null) {
			throw refusal.because(name + unstable, null);
		}
		String text = value.toString();
		if (text == null || text.isEmpty()) {
			throw refusal.because(name + " empty", null);
		}
		return text;
	}

	// Bytes and characters are one value.
	private static boolean isSeveral(Class<?> type) {
		return Collection.class.isAssignableFrom(type)
				|| (type.isArray() && type != byte[].class && type != char[].class);
	}

	// What it is or contains, after "is"; null if its text is stable.
	private static @Nullable String whyUnstable(Object value) {
		Optional<String> flaw = FLAWS.get(value.getClass());
		return flaw.isPresent() ? " a " + flaw.get()
				: findFlawIn(value, 1)
					.map((contained) -> " a %s that contains a %s".formatted(value.getClass().getTypeName(), contained))
					.orElse(null);
	}

	private static Optional<String> findFlawIn(Object container, int depth) {
		if (!(container instanceof Collection || container instanceof Map || container instanceof Optional)) {
			return Optional.empty();
		}
		if (depth > MAX_DEPTH) {
			return Optional.of(container.getClass().getTypeName() + ", which is nested too deeply");
		}
		return elements(container).filter(Objects::nonNull)
			.map((element) -> FLAWS.get(element.getClass()).or(() -> findFlawIn(element, depth + 1)))
			.flatMap(Optional::stream)
			.findFirst();
	}

	private static Stream<?> elements(Object container) {
		if (container instanceof Map<?, ?> map) {
			return Stream.concat(map.keySet().stream(), map.values().stream());
		}
		return (container instanceof Collection<?> collection) ? collection.stream()
				: ((Optional<?>) container).stream();
	}

	private static @Nullable String findFlaw(Class<?> type) {
		if (type == byte[].class || type == char[].class) {
			return "which has no text of its own: write it as text, for example in hex";
		}
		if (isIdentity(type)) {
			return "which has no text of its own: another instance would be another key";
		}
		if (Map.class.isAssignableFrom(type) && !SortedMap.class.isAssignableFrom(type)) {
			return "which may have another order in another JVM: use a SortedMap";
		}
		if (Collection.class.isAssignableFrom(type) && !List.class.isAssignableFrom(type)
				&& !SortedSet.class.isAssignableFrom(type)) {
			return "which may have another order in another JVM: use a SortedSet or a List";
		}
		if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
			return "whose text depends on the time zone of the JVM: use an Instant or a LocalDate";
		}
		return null;
	}

	private static boolean isIdentity(Class<?> type) {
		try {
			// Object.toString, which arrays have too, tells instances apart.
			return type.getMethod("toString").getDeclaringClass() == Object.class;
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Makes the exception for a key that cannot be locked.
	 */
	@FunctionalInterface
	interface Refusal {

		IllegalArgumentException because(String problem, @Nullable Throwable cause);

	}

}
