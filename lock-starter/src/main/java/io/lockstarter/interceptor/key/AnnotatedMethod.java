// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.LeaderOnly;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Annotated method, as its target class has it. The subject of every message about its
 * annotation.
 *
 * @param method the most specific method, not a bridge
 * @param targetClass the class that the annotated bean was written as
 * @since 0.1
 */
public record AnnotatedMethod(Method method, Class<?> targetClass) {

	private static final int MAX_NAME = 255;

	public LockSetupException invalid(String problem, String remedy) {
		return invalid(problem, remedy, null);
	}

	/**
	 * Create the exception for an annotation that cannot be used.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 */
	public LockSetupException invalid(String problem, String remedy, @Nullable Throwable cause) {
		return new LockSetupException(
				"@%s on %s: %s".formatted(annotationOn(this.method, this.targetClass), this, problem), remedy, cause);
	}

	/**
	 * Return the simple name of the annotation, as it is written on one of the elements.
	 */
	public static String annotationOn(AnnotatedElement... elements) {
		List<MergedAnnotations> present = Stream.of(elements)
			.map((element) -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY))
			.toList();
		Stream<Class<? extends Annotation>> ours = Stream.of(LeaderOnly.class, DistributedPermit.class);
		return ours.filter((type) -> present.stream().anyMatch((annotations) -> annotations.isPresent(type)))
			.findFirst()
			.orElse(DistributedLock.class)
			.getSimpleName();
	}

	/**
	 * Return the type of the result, as the class has it.
	 */
	public ResolvableType resultType() {
		return ResolvableType.forMethodReturnType(this.method, this.targetClass);
	}

	/**
	 * Return the simple name of the class and the name of the method, in up to 255
	 * characters.
	 */
	public String shortName() {
		Class<?> type = Proxy.isProxyClass(this.targetClass) ? this.method.getDeclaringClass() : this.targetClass;
		String typeName = type.getSimpleName().isEmpty() ? ClassUtils.getShortName(type) : type.getSimpleName();
		String name = typeName + "." + nameOf(this.method);
		return name.substring(0, Math.min(name.length(), MAX_NAME));
	}

	/**
	 * Return the name of a method as it is written.
	 */
	public static String nameOf(Method method) {
		String name = method.getName();
		return KotlinDetector.isKotlinType(method.getDeclaringClass()) ? Mangled.NAME.matcher(name).replaceFirst("")
				: name;
	}

	// Each call looks one up, and the first one of a record makes classes for it.
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof AnnotatedMethod that && this.method.equals(that.method)
				&& this.targetClass == that.targetClass;
	}

	@Override
	public int hashCode() {
		return 31 * this.method.hashCode() + this.targetClass.hashCode();
	}

	@Override
	public String toString() {
		return Arrays.stream(this.method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", this.targetClass.getName() + "." + this.method.getName() + "(", ")"));
	}

	/**
	 * What Kotlin puts behind the name of a method: a hash if there is a value class in
	 * its signature, and the module if it is internal. Not needed without Kotlin.
	 */
	private static final class Mangled {

		private static final Pattern NAME = Pattern.compile("(?:-[\\w-]{7})?(?:\\$[^$]+)?$");

	}

}
