package io.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;

import io.lockstarter.LockedAction;
import io.lockstarter.annotation.LockFailureHandler.FailedCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * One call of an annotated method.
 */
final class LockCall implements LockedAction<@Nullable Object, Throwable> {

	private final MethodInvocation invocation;

	private final Proceeding proceeding;

	private final Object target;

	LockCall(MethodInvocation invocation, Object target, Proceeding proceeding) {
		this.invocation = invocation;
		this.target = target;
		this.proceeding = proceeding;
	}

	Object target() {
		return this.target;
	}

	Method method() {
		return this.invocation.getMethod();
	}

	@Nullable Object[] arguments() {
		return this.invocation.getArguments();
	}

	/**
	 * Go on with what is inside the lock: the next lock of the method, or the method.
	 */
	// NullAway knows that T may be null only in its JSpecify mode, which needs a newer
	// JDK.
	@Override
	@SuppressWarnings("NullAway")
	public @Nullable Object run() throws Throwable {
		return this.proceeding.proceed();
	}

	boolean declares(Class<?> exception) {
		return ReflectionUtils.declaresException(method(), exception);
	}

	FailedCall failed() {
		return new FailedCall(this.target, method(), Collections.unmodifiableList(Arrays.asList(arguments().clone())));
	}

	@FunctionalInterface
	interface Proceeding {

		@Nullable Object proceed() throws Throwable;

	}

}
