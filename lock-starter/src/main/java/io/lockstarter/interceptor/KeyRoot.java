package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * What a key knows as {@code #root}.
 */
final class KeyRoot {

	private final LockedMethod subject;

	private final LockCall call;

	KeyRoot(LockedMethod subject, LockCall call) {
		this.subject = subject;
		this.call = call;
	}

	/**
	 * Return the method of the class, however it was called: a key that contains it is
	 * the same through an interface.
	 * @return the method
	 */
	public Method getMethod() {
		return this.subject.method();
	}

	public String getMethodName() {
		return this.subject.method().getName();
	}

	public Object getTarget() {
		return this.call.target();
	}

	public Class<?> getTargetClass() {
		return this.subject.targetClass();
	}

	public @Nullable Object[] getArgs() {
		@Nullable Object[] arguments = this.call.arguments();
		return Arrays.copyOf(arguments, arguments.length);
	}

}
