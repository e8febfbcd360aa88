// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.LockFailureHandler.FailedCall;
import io.lockstarter.interceptor.async.Proceeding;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/**
 * Call of an annotated method.
 */
final class LockCall {

	private final MethodInvocation invocation;

	private final Proceeding proceeding;

	private final Object target;

	private final @Nullable Object[] arguments;

	LockCall(MethodInvocation invocation, Object target, @Nullable Object[] arguments, Proceeding proceeding) {
		this.invocation = invocation;
		this.target = target;
		this.arguments = arguments;
		this.proceeding = proceeding;
	}

	Object target() {
		return this.target;
	}

	Method method() {
		return this.invocation.getMethod();
	}

	/**
	 * Return the arguments of the caller: without the continuation of a suspend function.
	 */
	@Nullable Object[] arguments() {
		return KotlinDetector.isSuspendingFunction(method()) ? Arrays.copyOf(this.arguments, this.arguments.length - 1)
				: this.arguments;
	}

	@Nullable Object[] parameters() {
		return this.arguments;
	}

	/**
	 * Return what is inside the lock: the next lock of the method, or the method.
	 */
	Proceeding proceeding() {
		return this.proceeding;
	}

	@Nullable Object run() throws Throwable {
		return this.proceeding.proceed(this.arguments);
	}

	@Nullable Object run(LockScope scope) throws Throwable {
		return this.proceeding.proceed(this.arguments, scope);
	}

	/**
	 * Return what to throw when the caller is interrupted: as it is if the method may
	 * throw that.
	 * @throws InterruptedException if the method declares it
	 */
	LockInterruptedException interrupted(String key, InterruptedException cause) throws InterruptedException {
		if (ReflectionUtils.declaresException(method(), InterruptedException.class)) {
			throw cause;
		}
		Thread.currentThread().interrupt();
		return new LockInterruptedException(key, cause);
	}

	FailedCall failed() {
		// By hand, as javac and NullAway do not agree on what Arrays.asList makes of
		// nulls.
		List<@Nullable Object> copy = new ArrayList<>();
		for (Object argument : arguments()) {
			copy.add(argument);
		}
		return new FailedCall(this.target, method(), Collections.unmodifiableList(copy));
	}

}
