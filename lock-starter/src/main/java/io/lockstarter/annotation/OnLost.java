package io.lockstarter.annotation;

/**
 * What a call does when its lease is lost while the method runs. In each case the loss is
 * logged, and told to {@link io.lockstarter.LockListener listeners}.
 */
public enum OnLost {

	/**
	 * Nothing more: the method runs on, and its result is returned.
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
