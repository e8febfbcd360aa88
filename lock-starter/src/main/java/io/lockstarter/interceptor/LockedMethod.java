package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A method as its target class has it; the subject of every message about its annotation.
 *
 * @param method the most specific method, not a bridge
 * @param targetClass the class that the annotated bean was written as
 */
record LockedMethod(Method method, Class<?> targetClass) {

	LockSetupException invalid(String problem, String remedy) {
		return invalid(problem, remedy, null);
	}

	LockSetupException invalid(String problem, String remedy, @Nullable Throwable cause) {
		return new LockSetupException("@DistributedLock on %s: %s".formatted(this, problem), remedy, cause);
	}

	@Override
	public String toString() {
		return Arrays.stream(this.method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", this.targetClass.getName() + "." + this.method.getName() + "(", ")"));
	}

}
