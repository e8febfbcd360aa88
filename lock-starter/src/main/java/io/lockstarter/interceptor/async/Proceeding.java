package io.lockstarter.interceptor.async;

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

}
