package io.lockstarter.interceptor;

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

/**
 * Knows which values have a text that is the same for equal values in every JVM.
 */
final class KeyText {

	// Ends with whatever contains itself.
	private static final int MAX_DEPTH = 8;

	private static final ClassValue<Optional<String>> FLAWS = new ClassValue<>() {

		@Override
		protected Optional<String> computeValue(Class<?> type) {
			return Optional.ofNullable(findFlaw(type)).map((flaw) -> type.getTypeName() + ", " + flaw);
		}

	};

	private KeyText() {
	}

	/**
	 * Return why a value cannot be part of a key.
	 * @param value the value
	 * @return what it is or contains; {@code null} if its text is stable
	 */
	static @Nullable String whyUnstable(Object value) {
		Optional<String> flaw = FLAWS.get(value.getClass());
		return flaw.isPresent() ? "is a " + flaw.get() : findFlawIn(value, 1).map("contains a "::concat).orElse(null);
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

}
