// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.Buffer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds out why the text of a value is not the same for equal values in every JVM. It is
 * known of types; of what a value contains, if its text shows that; and by what the text
 * looks like.
 */
final class TextFlaws {

	// Ends with whatever contains itself.
	private static final int MAX_DEPTH = 8;

	private static final int SHORTEST_HASH = 5;

	private static final String IDENTITY = "which has no text of its own: another instance would be another key";

	private static final String GENERATED_TEXT = "whose text shows an identity, or a class made at run time: "
			+ "another JVM would have another key";

	// What arrays, other objects without a text, and classes that are made at run time
	// are
	// called. Addresses go on behind a host, and dates have no letters.
	private static final Pattern GENERATED = Pattern
		.compile("\\[(?:[BCDFIJSZ]|L[\\w.$]+;)@[0-9a-f]+|[.$][A-Z]\\w*@(?=\\d*[a-f])[0-9a-f]{5,8}(?![\\w.-])"
				+ "|\\$\\$Lambda[/$]|\\$\\$\\w*CGLIB\\$\\$|\\.\\$Proxy\\d");

	private static final ClassValue<Optional<String>> OF_TYPES = new ClassValue<>() {

		@Override
		protected Optional<String> computeValue(Class<?> type) {
			return Optional.ofNullable(ofType(ClassUtils.getUserClass(type)));
		}

	};

	private static final ClassValue<List<Method>> COMPONENTS = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> type) {
			return components(type);
		}

	};

	private TextFlaws() {
	}

	/**
	 * Say what a value is or contains, after "is".
	 * @return {@code null} if its text is stable
	 */
	static @Nullable String find(Object value) {
		String flaw = knownOf(value).orElse(null);
		if (flaw == null) {
			List<Object> flawed = new ArrayList<>();
			String nested = collect(value, 1, flawed);
			if (nested == null && !flawed.isEmpty()) {
				nested = firstShown(flawed, String.valueOf(value));
			}
			if (nested != null) {
				return " a %s that contains a %s".formatted(value.getClass().getTypeName(), nested);
			}
			flaw = ofText(value);
		}
		return (flaw != null) ? " a " + describe(value, flaw) : null;
	}

	// A record, for one, may have a text of its own, in which a part has another form.
	private static @Nullable String firstShown(List<Object> flawed, String text) {
		return flawed.stream()
			.filter((part) -> text.contains(String.valueOf(part)))
			.findFirst()
			.map((part) -> describe(part, String.valueOf(ofOne(part))))
			.orElse(null);
	}

	private static String describe(Object value, String flaw) {
		return value.getClass().getTypeName() + ", " + flaw;
	}

	private static @Nullable String collect(Object container, int depth, List<Object> flawed) {
		for (Object part : parts(container)) {
			if (part == null) {
				continue;
			}
			if (depth > MAX_DEPTH) {
				// What has components may refer to itself, and leave that out of its
				// text.
				return COMPONENTS.get(container.getClass()).isEmpty()
						? describe(container, "which is nested too deeply") : null;
			}
			if (ofOne(part) != null) {
				flawed.add(part);
				continue;
			}
			String deeper = collect(part, depth + 1, flawed);
			if (deeper != null) {
				return deeper;
			}
		}
		return null;
	}

	private static Iterable<? extends @Nullable Object> parts(Object container) {
		if (container instanceof Collection<?> collection) {
			return collection;
		}
		if (container instanceof Map<?, ?> map) {
			return map.entrySet();
		}
		if (container instanceof Map.Entry<?, ?> entry) {
			return Arrays.asList(entry.getKey(), entry.getValue());
		}
		if (container instanceof Optional<?> optional) {
			return optional.stream().toList();
		}
		if (container instanceof AtomicReference<?> reference) {
			return Arrays.asList(reference.get());
		}
		List<@Nullable Object> parts = new ArrayList<>();
		for (Method component : COMPONENTS.get(container.getClass())) {
			parts.add(read(component, container));
		}
		return parts;
	}

	private static @Nullable Object read(Method component, Object container) {
		try {
			return component.invoke(container);
		}
		catch (ReflectiveOperationException ex) {
			// The text itself is looked at all the same.
			return null;
		}
	}

	private static List<Method> components(Class<?> type) {
		try {
			Stream<Method> components = Stream.empty();
			if (type.isRecord()) {
				components = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getAccessor);
			}
			else if (KotlinDetector.isKotlinType(type)) {
				components = IntStream.rangeClosed(1, type.getDeclaredFields().length)
					.mapToObj((i) -> component(type, "component" + i))
					.takeWhile((component) -> component != null);
			}
			return components.peek(ReflectionUtils::makeAccessible).toList();
		}
		catch (RuntimeException ex) {
			// A module that is closed to us.
			return List.of();
		}
	}

	// Kotlin puts something behind the name of one that is internal, or of a value class.
	private static @Nullable Method component(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getParameterCount() == 0 && method.getName().matches(name + "(?:[-$].*)?"))
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String ofOne(Object value) {
		return knownOf(value).orElseGet(() -> parts(value).iterator().hasNext() ? null : ofText(value));
	}

	// The text of a proxy is that of what is behind it.
	private static Optional<String> knownOf(Object value) {
		return OF_TYPES.get(AopUtils.getTargetClass(value));
	}

	private static @Nullable String ofType(Class<?> type) {
		if (type == byte[].class || type == char[].class) {
			return "which has no text of its own: write it as text, for example in hex";
		}
		if (isIdentity(type) || (Buffer.class.isAssignableFrom(type) && !CharBuffer.class.isAssignableFrom(type))) {
			return IDENTITY;
		}
		if (LateTypes.isPending(type)) {
			return "which is no value yet: wait for its result outside of the method, and pass that";
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
		if (TimeZone.class.isAssignableFrom(type)) {
			return "whose text depends on what the JVM knows of time zones: use its ID";
		}
		if (InetAddress.class.isAssignableFrom(type) || SocketAddress.class.isAssignableFrom(type)) {
			return "whose text depends on whether its host name was looked up: use its hostAddress";
		}
		return null;
	}

	private static boolean isIdentity(Class<?> type) {
		// Object.toString, which arrays have too, tells instances apart.
		return ClassUtils.getMethod(type, "toString").getDeclaringClass() == Object.class;
	}

	// A proxy of another library, for one, has a method toString, and the text of what is
	// behind it.
	private static @Nullable String ofText(Object value) {
		String text = value.toString();
		if (text == null || (text.indexOf('@') < 0 && text.indexOf('$') < 0)) {
			return null;
		}
		boolean own = !(value instanceof CharSequence) && text.indexOf('@') >= 0 && hasHash(text, value.hashCode());
		return (own || GENERATED.matcher(text).find()) ? GENERATED_TEXT : null;
	}

	// A small number may well be part of a value, and its hash code as well.
	private static boolean hasHash(String text, int hash) {
		String hex = Integer.toHexString(hash);
		return hex.length() >= SHORTEST_HASH && text.contains("@" + hex);
	}

}
