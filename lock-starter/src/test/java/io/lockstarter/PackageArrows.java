// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * Which package uses which, without those arrows that follow from others: the transitive
 * reduction, of which a graph without circles has one.
 */
final class PackageArrows {

	private static final String ROOT = "io.lockstarter";

	private static final String API = "api";

	private static final Pattern DRAWN = Pattern.compile("^\\s*([a-z.]+) --> ([a-z.]+)$", Pattern.MULTILINE);

	private final TreeMap<String, Set<String>> uses = new TreeMap<>();

	static Set<String> of(JavaClasses classes) {
		PackageArrows arrows = new PackageArrows();
		for (JavaClass type : classes) {
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				arrows.add(type.getPackageName(), dependency.getTargetClass().getPackageName());
			}
		}
		return arrows.reduced();
	}

	/**
	 * Return the arrows of a Mermaid diagram.
	 */
	static Set<String> drawnIn(String text) {
		return DRAWN.matcher(text)
			.results()
			.map((arrow) -> arrow.group(1) + " --> " + arrow.group(2))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Return the package that uses the other.
	 */
	static String from(String arrow) {
		String name = arrow.substring(0, arrow.indexOf(' '));
		return name.equals(API) ? ROOT : ROOT + "." + name;
	}

	private void add(String from, String to) {
		if (to.startsWith(ROOT) && !from.equals(to)) {
			this.uses.computeIfAbsent(shortened(from), (name) -> new TreeSet<>()).add(shortened(to));
		}
	}

	private static String shortened(String name) {
		return name.equals(ROOT) ? API : name.substring(ROOT.length() + 1);
	}

	private Set<String> reduced() {
		Set<String> arrows = new TreeSet<>();
		this.uses.forEach((from, targets) -> targets.stream()
			.filter((to) -> targets.stream().noneMatch((other) -> !other.equals(to) && reaches(other, to)))
			.forEach((to) -> arrows.add(from + " --> " + to)));
		return arrows;
	}

	private boolean reaches(String from, String to) {
		Set<String> targets = this.uses.getOrDefault(from, Set.of());
		return targets.contains(to) || targets.stream().anyMatch((target) -> reaches(target, to));
	}

}
