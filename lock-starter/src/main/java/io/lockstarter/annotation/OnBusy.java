// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

/**
 * Options for a call whose key stayed busy for the wait time.
 *
 * @since 0.1
 */
public enum OnBusy {

	/**
	 * Fail with {@link io.lockstarter.LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Return without running the method: {@code null}, an empty {@code Optional}, a
	 * future completed with {@code null}, or an empty publisher. A method with a
	 * primitive result is refused at start-up.
	 */
	SKIP

}
