// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Utility methods for finding the annotation that applies to a method: that of the
 * method, before that of a method it overrides or implements, before that of the class,
 * before that of the types above the class.
 *
 * @since 0.1
 */
public final class LockAnnotations {

	private LockAnnotations() {
	}

	static boolean isOn(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

	/**
	 * Return whether the annotation is anywhere in a class, on any method, or in the
	 * types above it. Most classes of an application are dismissed by this, at a small
	 * part of what it costs to find out which annotation applies to each of their
	 * methods.
	 */
	static boolean isAnywhereIn(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return false;
		}
		return isOn(type) || Arrays.stream(ReflectionUtils.getDeclaredMethods(type)).anyMatch(LockAnnotations::isOn)
				|| isAnywhereIn(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(LockAnnotations::isAnywhereIn);
	}

	/**
	 * Find the annotations that apply to a method, in the order in which they are
	 * written.
	 * @param method the method, possibly of an interface
	 * @param specific the same method as the class has it
	 */
	public static List<MergedAnnotation<DistributedLock>> find(Method method, Method specific, Class<?> targetClass) {
		List<MergedAnnotation<DistributedLock>> annotations = nearest(specific);
		if (annotations.isEmpty()) {
			// A class may implement an interface with a method that it inherits from a
			// class which knows nothing of that interface.
			Method declared = ClassUtils.getInterfaceMethodIfPossible(specific, targetClass);
			annotations = declared.equals(specific) ? annotations : nearest(declared);
		}
		if (annotations.isEmpty() && !method.equals(specific)) {
			annotations = nearest(method);
		}
		if (annotations.isEmpty() && isCoveredByType(specific, targetClass)) {
			annotations = nearest(targetClass);
			return (annotations.isEmpty() || ContainerCallbacks.isOne(specific, targetClass)) ? List.of() : annotations;
		}
		return annotations;
	}

	private static boolean isCoveredByType(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		boolean own = method.getDeclaringClass() == targetClass;
		// A final method that a superclass brings along is not what the annotation means.
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && (own || !Modifier.isFinal(modifiers))
				&& !ReflectionUtils.isObjectMethod(method);
	}

	/**
	 * Return the annotations of the nearest element that has any, in the order in which
	 * they are written.
	 */
	private static List<MergedAnnotation<DistributedLock>> nearest(AnnotatedElement element) {
		RepeatableContainers containers = RepeatableContainers.standardRepeatables();
		MergedAnnotation<DistributedLock> first = MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY, containers)
			.stream(DistributedLock.class)
			.findFirst()
			.orElse(null);
		if (first == null || !(first.getSource() instanceof AnnotatedElement source)) {
			return List.of();
		}
		// One by one: together, ours would come before those that are made of it.
		return Arrays.stream(source.getDeclaredAnnotations())
			.flatMap((annotation) -> MergedAnnotations.from(source, new Annotation[] { annotation }, containers)
				.stream(DistributedLock.class))
			.toList();
	}

}
