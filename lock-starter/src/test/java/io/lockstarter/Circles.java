// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * Groups of classes each of which knows all others of its group, directly or by others. A
 * nested class is part of the outer one.
 */
final class Circles {

	private final Map<String, Set<String>> known = new TreeMap<>();

	Circles(JavaClasses classes) {
		Set<String> names = classes.stream().map(Circles::outermost).collect(Collectors.toSet());
		for (JavaClass each : classes) {
			Set<String> others = this.known.computeIfAbsent(outermost(each), (name) -> new TreeSet<>());
			each.getDirectDependenciesFromSelf()
				.stream()
				.map(Dependency::getTargetClass)
				.map(Circles::outermost)
				.filter(names::contains)
				.forEach(others::add);
		}
	}

	private static String outermost(JavaClass type) {
		return type.getEnclosingClass().map(Circles::outermost).orElseGet(type::getName);
	}

	/**
	 * Return circles of more classes than that.
	 */
	List<Set<String>> largerThan(int size) {
		Map<String, Set<String>> reached = new TreeMap<>();
		this.known.keySet().forEach((name) -> reached.put(name, reachedFrom(name)));
		return reached.keySet()
			.stream()
			.map((name) -> reached.get(name)
				.stream()
				.filter((other) -> reached.get(other).contains(name))
				.collect(Collectors.toCollection(TreeSet::new)))
			.filter((circle) -> circle.size() > size)
			.map((circle) -> (Set<String>) circle)
			.distinct()
			.toList();
	}

	private Set<String> reachedFrom(String name) {
		Set<String> reached = new HashSet<>();
		List<String> last = List.of(name);
		while (!last.isEmpty()) {
			last = last.stream().flatMap((each) -> this.known.get(each).stream()).filter(reached::add).toList();
		}
		return reached;
	}

}
