package io.lockstarter.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotation that counts for a method: that of the method, before that of a
 * method it overrides or implements, before that of the class, before that of the types
 * above the class.
 */
final class LockAnnotations {

	private LockAnnotations() {
	}

	static boolean isOn(Method method) {
		return MergedAnnotations.from(method).isPresent(DistributedLock.class);
	}

	static MergedAnnotation<DistributedLock> find(Method method, Method specific, Class<?> targetClass) {
		MergedAnnotation<DistributedLock> annotation = nearest(specific);
		if (!annotation.isPresent()) {
			// A class may implement an interface with a method that it inherits from a
			// class which knows nothing of that interface.
			Method declared = ClassUtils.getInterfaceMethodIfPossible(specific, targetClass);
			annotation = declared.equals(specific) ? annotation : nearest(declared);
		}
		if (!annotation.isPresent() && !method.equals(specific)) {
			annotation = nearest(method);
		}
		return (!annotation.isPresent() && isCoveredByType(specific, targetClass)) ? nearest(targetClass) : annotation;
	}

	private static boolean isCoveredByType(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		boolean own = method.getDeclaringClass() == targetClass;
		// A final method that a superclass brings along is not what the annotation means.
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && (own || !Modifier.isFinal(modifiers))
				&& !ReflectionUtils.isObjectMethod(method);
	}

	private static MergedAnnotation<DistributedLock> nearest(AnnotatedElement element) {
		MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		if (!annotations.isPresent(DistributedLock.class)) {
			return MergedAnnotation.missing();
		}
		// MergedAnnotations.get would prefer a plain annotation further up to a composed
		// one on the element itself.
		return annotations.stream(DistributedLock.class).findFirst().orElseGet(MergedAnnotation::missing);
	}

}
