// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Root object of the expressions of a key: the call, as {@code #root}.
 *
 * @since 0.1
 */
public final class KeyRoot {

	private final AnnotatedMethod subject;

	private final Object target;

	private final @Nullable Object[] arguments;

	KeyRoot(AnnotatedMethod subject, Object target, @Nullable Object[] arguments) {
		this.subject = subject;
		this.target = target;
		this.arguments = arguments;
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
		return AnnotatedMethod.nameOf(this.subject.method());
	}

	public Object getTarget() {
		return this.target;
	}

	public Class<?> getTargetClass() {
		return this.subject.targetClass();
	}

	public @Nullable Object[] getArgs() {
		return Arrays.copyOf(this.arguments, this.arguments.length);
	}

}
