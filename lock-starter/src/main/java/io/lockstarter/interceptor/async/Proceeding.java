// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * Rest of an invocation: the next lock of a method, or the method itself.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Proceeding {

	/**
	 * Proceed with the invocation.
	 * @param parameters what the method receives
	 */
	@Nullable Object proceed(@Nullable Object[] parameters) throws Throwable;

	/**
	 * Proceed with the invocation in the scope of its leases.
	 */
	// NullAway knows that T may be null only in its JSpecify mode, which needs a newer
	// JDK.
	@SuppressWarnings("NullAway")
	default @Nullable Object proceed(@Nullable Object[] parameters, LockScope scope) throws Throwable {
		return scope.<@Nullable Object, Throwable>call((current) -> proceed(parameters));
	}

}
