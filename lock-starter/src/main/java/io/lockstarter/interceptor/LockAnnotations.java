// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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

	// Not all of org.springframework: applications are there, too, such as its samples.
	private static final List<String> FRAMEWORK = List.of("org.springframework.aop.", "org.springframework.beans.",
			"org.springframework.boot.", "org.springframework.context.", "org.springframework.core.",
			"org.springframework.data.", "org.springframework.http.", "org.springframework.jdbc.",
			"org.springframework.orm.", "org.springframework.scheduling.", "org.springframework.transaction.",
			"org.springframework.web.");

	private LockAnnotations() {
	}

	static boolean isOn(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

	/**
	 * Return whether the annotation is anywhere in a class, on any method, or in the
	 * types above it. Most classes of an application are dismissed by this, at a small
	 * part of what it costs to find out which annotation applies to each of their
	 * methods. Those of Spring are many, with many annotations, and none of them is ours.
	 */
	static boolean isAnywhereIn(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return false;
		}
		if ((!isOfFramework(type) && isIn(type)) || isAnywhereIn(type.getSuperclass())) {
			return true;
		}
		for (Class<?> each : type.getInterfaces()) {
			if (isAnywhereIn(each)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOfFramework(Class<?> type) {
		for (String each : FRAMEWORK) {
			if (type.getName().startsWith(each)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isIn(Class<?> type) {
		if (isOn(type)) {
			return true;
		}
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (isOn(method)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Find the annotations that apply to a method, in the order in which they are
	 * written.
	 * @param method the method, possibly of an interface
	 * @param subject the same method as the class has it
	 */
	public static List<MergedAnnotation<DistributedLock>> find(Method method, AnnotatedMethod subject) {
		List<MergedAnnotation<DistributedLock>> annotations = findOnMethod(method, subject);
		return (annotations.isEmpty() && isCoveredByType(subject)) ? nearest(subject.targetClass()) : annotations;
	}

	private static List<MergedAnnotation<DistributedLock>> findOnMethod(Method method, AnnotatedMethod subject) {
		List<MergedAnnotation<DistributedLock>> annotations = nearest(subject.method());
		if (annotations.isEmpty()) {
			annotations = nearestOfInterfaces(subject.method(), subject.targetClass());
		}
		return (annotations.isEmpty() && !method.equals(subject.method())) ? nearest(method) : annotations;
	}

	// A class may implement an interface with a method that it inherits from a class
	// which knows nothing of that interface, and has other types of parameters if it is
	// generic.
	private static List<MergedAnnotation<DistributedLock>> nearestOfInterfaces(Method specific, Class<?> targetClass) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(targetClass)) {
			for (Method declared : type.getMethods()) {
				if (declared.getName().equals(specific.getName())
						&& declared.getParameterCount() == specific.getParameterCount()
						&& AopUtils.getMostSpecificMethod(declared, targetClass).equals(specific)) {
					List<MergedAnnotation<DistributedLock>> annotations = nearest(declared);
					if (!annotations.isEmpty()) {
						return annotations;
					}
				}
			}
		}
		return List.of();
	}

	/**
	 * Return whether an annotation applies to a method, rightly or wrongly.
	 */
	static boolean isFound(Method method, AnnotatedMethod subject) {
		return isFoundOnMethod(method, subject) || isCoveredByType(subject);
	}

	/**
	 * Return whether an annotation is on a method itself, or on one that it overrides or
	 * implements, rightly or wrongly.
	 */
	static boolean isFoundOnMethod(Method method, AnnotatedMethod subject) {
		try {
			return !findOnMethod(method, subject).isEmpty();
		}
		catch (AnnotationConfigurationException ex) {
			return true;
		}
	}

	/**
	 * Return whether the annotation is on a class, or on a type above it.
	 */
	static boolean isOnType(Class<?> targetClass) {
		return MergedAnnotations.from(targetClass, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class);
	}

	/**
	 * Return whether the annotation of a class, or of a type above it, applies to a
	 * method that has none itself.
	 */
	static boolean isCoveredByType(AnnotatedMethod subject) {
		Method method = subject.method();
		int modifiers = method.getModifiers();
		boolean own = method.getDeclaringClass() == subject.targetClass();
		// A final method that a superclass brings along is not what the annotation means.
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && (own || !Modifier.isFinal(modifiers))
				&& !ReflectionUtils.isObjectMethod(method) && isOnType(subject.targetClass())
				&& !ContainerCallbacks.isOne(method, subject.targetClass());
	}

	/**
	 * Return the annotations of the nearest element that has any, in the order in which
	 * they are written.
	 */
	private static List<MergedAnnotation<DistributedLock>> nearest(AnnotatedElement element) {
		MergedAnnotation<DistributedLock> first = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.get(DistributedLock.class);
		if (!first.isPresent() || !(first.getSource() instanceof AnnotatedElement source)) {
			return List.of();
		}
		// One by one: together, ours would come before those that are made of it.
		List<MergedAnnotation<DistributedLock>> all = new ArrayList<>();
		for (Annotation annotation : source.getDeclaredAnnotations()) {
			all.addAll(MergedAnnotations.from(source, annotation).stream(DistributedLock.class).toList());
		}
		return all;
	}

}
