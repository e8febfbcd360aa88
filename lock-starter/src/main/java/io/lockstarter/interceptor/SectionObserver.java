// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.function.Function;

import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * Observes what annotated methods do while they hold their lock. If there are several
 * beans of this type, the first in their order is used. What an observer throws is logged
 * and has no other effect.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface SectionObserver {

	/**
	 * An observer of nothing.
	 */
	SectionObserver NONE = (scope, context) -> null;

	/**
	 * Called when a lock was acquired and its method is about to run.
	 * @param scope the leases of the method
	 * @param context returns what the Reactor context of a reactive method has for a key;
	 * {@code null} if there is no such context or no value
	 * @return what to tell of the section; {@code null} if that is of no interest
	 */
	@Nullable Section begin(LockScope scope, Function<Object, @Nullable Object> context);

	/**
	 * A section that began.
	 */
	interface Section {

		/**
		 * Called on the thread that runs the method, before it does.
		 * @return what to do when the method has returned, on the same thread
		 */
		Runnable open();

		/**
		 * Return what to put into the Reactor context of a reactive method.
		 * @return the entries
		 */
		Map<Object, Object> context();

		/**
		 * Called when the method has ended: when it returned, or its future or publisher
		 * is complete. Only the first call counts.
		 * @param failure why it failed, or a {@link io.lockstarter.LockLostException} if
		 * a lease was lost meanwhile, with the failure of the method as suppressed;
		 * {@code null} for neither
		 */
		void end(@Nullable Throwable failure);

	}

}
