// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockSetupException;
import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * {@link BusyPolicy} that calls another method of the same class.
 */
record FallbackMethod(Method method, boolean takesFailure) implements BusyPolicy {

	FallbackMethod {
		ReflectionUtils.makeAccessible(method);
	}

	static BusyPolicy find(String name, AnnotatedMethod subject) {
		List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(subject.targetClass()))
			.filter((method) -> AnnotatedMethod.nameOf(method).equals(name) && !method.isSynthetic())
			.toList();
		for (boolean takesFailure : new boolean[] { true, false }) {
			List<Method> fitting = named.stream().filter((method) -> fits(method, subject, takesFailure)).toList();
			Method found = nearest(fitting, name, subject);
			if (found != null && LockAnnotations.isOn(found)) {
				throw invalid(name, "is annotated itself, but would be called without its lock", subject,
						"Take the annotation off it, or name another method");
			}
			if (found != null) {
				return new FallbackMethod(found, takesFailure);
			}
		}
		if (named.equals(List.of(subject.method()))) {
			throw invalid(name, "is the annotated method itself", subject,
					"Name another method, and make it private if the annotation is on the class");
		}
		throw invalid(name, named.isEmpty() ? "does not exist" : "has another signature: " + signatures(named), subject,
				"Write a method of the same class with the same parameters, optionally followed by a "
						+ "LockNotAcquiredException, that returns " + resultOf(subject.method(), subject));
	}

	private static @Nullable Method nearest(List<Method> fitting, String name, AnnotatedMethod subject) {
		if (fitting.size() <= 1) {
			return fitting.isEmpty() ? null : fitting.get(0);
		}
		Class<?>[] wanted = subject.method().getParameterTypes();
		List<Method> same = fitting.stream()
			.filter((method) -> Arrays.equals(wanted, Arrays.copyOf(method.getParameterTypes(), wanted.length)))
			.toList();
		if (same.size() != 1) {
			throw invalid(name, "is ambiguous: " + signatures(fitting), subject,
					"Keep one of them, or give one the same parameter types");
		}
		return same.get(0);
	}

	private static LockSetupException invalid(String name, String problem, AnnotatedMethod subject, String remedy) {
		return subject.invalid("fallback = \"%s\" %s".formatted(name, problem), remedy);
	}

	private static String signatures(List<Method> methods) {
		return methods.stream()
			.map((method) -> Arrays.stream(method.getGenericParameterTypes())
				.map(Type::getTypeName)
				.collect(Collectors.joining(", ",
						method.getGenericReturnType().getTypeName() + " " + method.getName() + "(", ")")))
			.sorted()
			.collect(Collectors.joining(" and "));
	}

	private static boolean fits(Method candidate, AnnotatedMethod subject, boolean takesFailure) {
		boolean suspends = AsyncMethods.isSuspending(subject);
		if (suspends != KotlinDetector.isSuspendingFunction(candidate)) {
			return false;
		}
		Class<?>[] present = candidate.getParameterTypes();
		// The continuation of a suspend function is the last one, behind the failure.
		int continuation = suspends ? 1 : 0;
		int count = subject.method().getParameterCount() - continuation;
		if (candidate.equals(subject.method()) || present.length - continuation != count + (takesFailure ? 1 : 0)
				|| (takesFailure && !takesFailure(present[count]))) {
			return false;
		}
		for (int i = 0; i < count; i++) {
			if (!accepts(parameter(candidate, i, subject), parameter(subject.method(), i, subject))) {
				return false;
			}
		}
		ResolvableType wanted = resultOf(subject.method(), subject);
		return wanted.resolve() == void.class || accepts(wanted, resultOf(candidate, subject));
	}

	private static boolean takesFailure(Class<?> type) {
		return Throwable.class.isAssignableFrom(type) && type.isAssignableFrom(LockNotAcquiredException.class);
	}

	// Type variables of a method are not the same in another one, whatever their names.
	private static boolean accepts(ResolvableType wanted, ResolvableType present) {
		boolean open = wanted.hasUnresolvableGenerics() || present.hasUnresolvableGenerics()
				|| wanted.getType() instanceof TypeVariable || present.getType() instanceof TypeVariable;
		Class<?> type = wanted.resolve(Object.class);
		return type.isPrimitive() == present.resolve(Object.class).isPrimitive()
				&& (open ? type.isAssignableFrom(present.resolve(Object.class)) : wanted.isAssignableFrom(present));
	}

	private static ResolvableType parameter(Method method, int index, AnnotatedMethod subject) {
		return ResolvableType.forMethodParameter(method, index, subject.targetClass());
	}

	private static ResolvableType resultOf(Method method, AnnotatedMethod subject) {
		return KotlinDetector.isSuspendingFunction(method)
				? ResolvableType.forClass(new MethodParameter(method, -1).getParameterType())
				: ResolvableType.forMethodReturnType(method, subject.targetClass());
	}

	@Override
	public @Nullable Object handle(LockCall call, LockNotAcquiredException busy) throws Throwable {
		@Nullable Object[] arguments = call.arguments();
		int next = arguments.length;
		arguments = Arrays.copyOf(arguments, this.method.getParameterCount());
		if (this.takesFailure) {
			arguments[next++] = busy;
		}
		if (next < arguments.length) {
			@Nullable Object[] parameters = call.parameters();
			arguments[next] = parameters[parameters.length - 1];
		}
		Object target = Modifier.isStatic(this.method.getModifiers()) ? null : call.target();
		// Not the method itself, as it may be a suspend function.
		return AopUtils.invokeJoinpointUsingReflection(target, this.method, arguments);
	}

}
