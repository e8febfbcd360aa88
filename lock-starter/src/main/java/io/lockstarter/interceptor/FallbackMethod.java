package io.lockstarter.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import io.lockstarter.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * A method of the same class that answers in place of the annotated one.
 */
final class FallbackMethod implements BusyPolicy {

	private final Method method;

	private final boolean takesFailure;

	private FallbackMethod(Method method, boolean takesFailure) {
		this.method = method;
		this.takesFailure = takesFailure;
		ReflectionUtils.makeAccessible(method);
	}

	/**
	 * Find the method.
	 * @param name its name
	 * @param subject the annotated method
	 * @return the fallback
	 */
	static FallbackMethod find(String name, LockedMethod subject) {
		List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(subject.targetClass()))
			.filter((method) -> method.getName().equals(name) && !method.isSynthetic())
			.toList();
		for (boolean takesFailure : new boolean[] { true, false }) {
			for (Method candidate : named) {
				if (fits(candidate, subject, takesFailure)) {
					return new FallbackMethod(candidate, takesFailure);
				}
			}
		}
		String problem = named.isEmpty() ? "does not exist"
				: "has another signature: " + named.get(0).toGenericString();
		throw subject.invalid("fallback = \"%s\" %s".formatted(name, problem),
				"Write a method of the same class with the same parameters, optionally followed by a "
						+ "LockNotAcquiredException, that returns " + subject.method().getReturnType().getSimpleName());
	}

	private static boolean fits(Method candidate, LockedMethod subject, boolean takesFailure) {
		Class<?>[] wanted = subject.method().getParameterTypes();
		Class<?>[] present = candidate.getParameterTypes();
		int count = present.length - (takesFailure ? 1 : 0);
		if (count != wanted.length
				|| (takesFailure && !present[count].isAssignableFrom(LockNotAcquiredException.class))) {
			return false;
		}
		for (int i = 0; i < count; i++) {
			if (!present[i].isAssignableFrom(wanted[i])) {
				return false;
			}
		}
		return !candidate.equals(subject.method()) && returnsTheSame(candidate, subject);
	}

	private static boolean returnsTheSame(Method candidate, LockedMethod subject) {
		ResolvableType wanted = ResolvableType.forMethodReturnType(subject.method(), subject.targetClass());
		ResolvableType present = ResolvableType.forMethodReturnType(candidate, subject.targetClass());
		return wanted.resolve() == void.class || wanted.isAssignableFrom(present);
	}

	@Override
	public @Nullable Object handle(LockCall call, LockNotAcquiredException busy, LockFailures failures)
			throws Throwable {
		@Nullable Object[] arguments = call.arguments();
		if (this.takesFailure) {
			arguments = Arrays.copyOf(arguments, arguments.length + 1);
			arguments[arguments.length - 1] = busy;
		}
		try {
			return this.method.invoke(Modifier.isStatic(this.method.getModifiers()) ? null : call.target(), arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
