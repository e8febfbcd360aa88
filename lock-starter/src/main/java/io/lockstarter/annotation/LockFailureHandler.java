// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

import java.lang.reflect.Method;
import java.util.List;

import io.lockstarter.LockException;
import org.jspecify.annotations.Nullable;

/**
 * Strategy for handling annotated calls whose lock failed: the key stayed busy, the store
 * was unavailable, or the lease was lost under {@link OnLost#FAIL} or
 * {@link OnLost#INTERRUPT}. A bean of this type is called unless the annotation itself
 * says otherwise by {@link OnBusy#SKIP}, a {@link DistributedLock#fallback() fallback} or
 * {@link OnUnavailable#PROCEED}. Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Return the result of the call in place of the method, or throw.
	 * @param call which call failed
	 * @param failure why
	 * @return the result; of the type that the method returns, or for a method that
	 * returns a future or a publisher also the value itself
	 * @throws Throwable what the caller is to see; usually the failure itself
	 */
	@Nullable Object handle(FailedCall call, LockException failure) throws Throwable;

	/**
	 * An annotated call that did not get, or did not keep, its lock.
	 *
	 * @param target the object that was called
	 * @param method the method that was called
	 * @param arguments the arguments of the call
	 */
	record FailedCall(Object target, Method method, List<@Nullable Object> arguments) {

	}

}
