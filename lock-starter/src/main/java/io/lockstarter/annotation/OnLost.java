// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

/**
 * Options for a call whose lease is lost while the method runs. In each case
 * {@link io.lockstarter.LockListener listeners} are notified and a warning is logged.
 *
 * @since 0.1
 */
public enum OnLost {

	/**
	 * Do nothing else: the method continues, and its result is returned.
	 */
	REPORT,

	/**
	 * Interrupt the thread of the method, or cancel its future or publisher, and fail the
	 * call with {@link io.lockstarter.LockLostException}.
	 */
	INTERRUPT,

	/**
	 * Let the method run to its end, then fail the call with
	 * {@link io.lockstarter.LockLostException}.
	 */
	FAIL

}
