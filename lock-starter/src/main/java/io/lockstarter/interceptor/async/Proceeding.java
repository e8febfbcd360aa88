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
	 * @return the result of the method
	 * @throws Throwable what the method throws
	 */
	@Nullable Object proceed(@Nullable Object[] parameters) throws Throwable;

	/**
	 * Proceed with the invocation in the scope of its leases.
	 * @param parameters what the method receives
	 * @param scope the leases
	 * @return the result of the method
	 * @throws Throwable what the method throws
	 */
	// NullAway knows that T may be null only in its JSpecify mode, which needs a newer
	// JDK.
	@SuppressWarnings("NullAway")
	default @Nullable Object proceed(@Nullable Object[] parameters, LockScope scope) throws Throwable {
		return scope.<@Nullable Object, Throwable>call(() -> proceed(parameters));
	}

}
