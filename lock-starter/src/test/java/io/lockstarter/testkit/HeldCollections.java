// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.security.CodeSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * What the objects of the product hold at a moment: the sizes of all maps, collections
 * and thread locals that can be reached from some of them, whoever added them.
 */
public final class HeldCollections {

	private static final String OURS = "io.lockstarter.";

	private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

	private final Deque<Object> unseen = new ArrayDeque<>();

	private final SortedMap<String, Integer> sizes = new TreeMap<>();

	private HeldCollections() {
	}

	/**
	 * Return the sizes of all collections that can be reached, by the names of their
	 * fields, such as {@code LockEngine.queues}; summed up if there are several of a
	 * field. A thread local counts as what it has for the calling thread, which is one
	 * more than nothing.
	 * @param roots objects to begin with; of a class its static fields
	 */
	public static SortedMap<String, Integer> sizes(Object... roots) {
		HeldCollections held = new HeldCollections();
		for (Object root : roots) {
			if (root instanceof Class<?> type) {
				held.look(type, null);
			}
			held.see(root);
		}
		while (!held.unseen.isEmpty()) {
			held.look(held.unseen.remove());
		}
		return held.sizes;
	}

	private void see(@Nullable Object object) {
		if (object != null && (isOurs(object.getClass()) || isContainer(object)) && this.seen.add(object)) {
			this.unseen.add(object);
		}
	}

	private void look(Object object) {
		elements(object).forEach(this::see);
		for (Class<?> type = object.getClass(); isOurs(type); type = type.getSuperclass()) {
			look(type, object);
		}
	}

	private void look(Class<?> type, @Nullable Object object) {
		for (Field field : type.getDeclaredFields()) {
			boolean isStatic = Modifier.isStatic(field.getModifiers());
			if (!field.getType().isPrimitive() && (isStatic || object != null)) {
				look(field, isStatic ? null : object);
			}
		}
	}

	private void look(Field field, @Nullable Object object) {
		Object value;
		try {
			field.setAccessible(true);
			value = field.get(object);
		}
		catch (IllegalAccessException | InaccessibleObjectException ex) {
			throw new IllegalStateException("Cannot look at " + field, ex);
		}
		int size = size(value);
		if (size >= 0) {
			this.sizes.merge(field.getDeclaringClass().getSimpleName() + "." + field.getName(), size, Integer::sum);
		}
		see(value);
	}

	private static int size(@Nullable Object value) {
		if (value instanceof Map<?, ?> map) {
			return map.size();
		}
		if (value instanceof Collection<?> collection) {
			return collection.size();
		}
		if (value instanceof ThreadLocal<?> local) {
			Object own = local.get();
			return (own == null) ? 0 : 1 + Math.max(0, size(own));
		}
		return -1;
	}

	private static Collection<?> elements(Object object) {
		if (object instanceof Map<?, ?> map) {
			return List.of(List.copyOf(map.keySet()), List.copyOf(map.values()));
		}
		if (object instanceof Collection<?> collection) {
			return collection;
		}
		if (object instanceof AtomicReference<?> reference) {
			return Collections.singletonList(reference.get());
		}
		if (object instanceof ThreadLocal<?> local) {
			return Collections.singletonList(local.get());
		}
		if (object instanceof Object[] array) {
			return Arrays.asList(array);
		}
		return List.of();
	}

	private static boolean isContainer(Object object) {
		return size(object) >= 0 || object instanceof AtomicReference<?> || (object.getClass().isArray()
				&& !object.getClass().getComponentType().isPrimitive() && Array.getLength(object) > 0);
	}

	private static boolean isOurs(@Nullable Class<?> type) {
		if (type == null || !type.getName().startsWith(OURS) || type.isEnum()) {
			return false;
		}
		CodeSource source = type.getProtectionDomain().getCodeSource();
		return source == null || !source.getLocation().getPath().contains("test-classes");
	}

}
