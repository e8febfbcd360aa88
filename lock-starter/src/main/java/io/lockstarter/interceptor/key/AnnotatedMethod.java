package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

/**
 * Annotated method, as its target class has it. The subject of every message about its
 * annotation.
 *
 * @param method the most specific method, not a bridge
 * @param targetClass the class that the annotated bean was written as
 * @since 0.1
 */
public record AnnotatedMethod(Method method, Class<?> targetClass) {

	/**
	 * Create the exception for an annotation that cannot be used.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 * @return the exception
	 */
	public LockSetupException invalid(String problem, String remedy) {
		return invalid(problem, remedy, null);
	}

	/**
	 * Create the exception for an annotation that cannot be used.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 * @param cause what found it, if anything did
	 * @return the exception
	 */
	public LockSetupException invalid(String problem, String remedy, @Nullable Throwable cause) {
		return new LockSetupException("@DistributedLock on %s: %s".formatted(this, problem), remedy, cause);
	}

	@Override
	public String toString() {
		return Arrays.stream(this.method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", this.targetClass.getName() + "." + this.method.getName() + "(", ")"));
	}

}
