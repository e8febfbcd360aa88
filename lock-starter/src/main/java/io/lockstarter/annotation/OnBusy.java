package io.lockstarter.annotation;

/**
 * What a call does when its key stayed busy for the wait time.
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
