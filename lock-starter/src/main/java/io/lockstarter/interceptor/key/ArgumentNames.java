// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * Names by which a key may refer to the arguments of a method.
 */
final class ArgumentNames {

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> indexes = new HashMap<>();

	private final int count;

	private final boolean ofMethod;

	private boolean discovered;

	private ArgumentNames(int count, boolean ofMethod) {
		this.count = count;
		this.ofMethod = ofMethod;
	}

	/**
	 * Collect the names.
	 * @param source where the annotation is; the names of an annotated interface method
	 * come before those of its implementation
	 */
	static ArgumentNames of(Method method, @Nullable Object source) {
		ArgumentNames names = new ArgumentNames(count(method), !(source instanceof Class));
		if (source instanceof Method annotated && count(annotated) == names.count) {
			names.addNames(annotated);
		}
		names.addNames(method);
		for (int i = 0; i < names.count; i++) {
			names.indexes.putIfAbsent("p" + i, i);
			names.indexes.putIfAbsent("a" + i, i);
		}
		return names;
	}

	/**
	 * The continuation of a suspend function is no argument of the caller.
	 */
	private static int count(Method method) {
		return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
	}

	private void addNames(Method method) {
		@Nullable String @Nullable [] names = DISCOVERER.getParameterNames(method);
		if (names == null) {
			return;
		}
		this.discovered = true;
		for (int i = 0; i < Math.min(names.length, this.count); i++) {
			String name = names[i];
			if (name != null) {
				this.indexes.putIfAbsent(name, i);
			}
		}
	}

	/**
	 * Return the position of the argument that a name, without {@code #}, means.
	 */
	@Nullable Integer indexOf(String name) {
		return this.indexes.get(name);
	}

	/**
	 * Return whether a bare word is more likely an argument than a text. An annotation on
	 * a type means no argument of one of its methods.
	 */
	boolean areMeantBy(String word) {
		return this.ofMethod && this.indexes.containsKey(word);
	}

	boolean isEmpty() {
		return this.count == 0;
	}

	/**
	 * Return the names for a message.
	 */
	@Override
	public String toString() {
		if (this.count == 0) {
			return "the method has no arguments";
		}
		String names = this.indexes.keySet()
			.stream()
			.sorted()
			.map((name) -> "#" + name)
			.collect(Collectors.joining(", "));
		return this.discovered ? names : names + " (its class was compiled without -parameters)";
	}

}
