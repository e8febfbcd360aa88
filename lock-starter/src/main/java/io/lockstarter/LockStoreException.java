package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Exception thrown when the store rejects a command, cannot be reached, or does not
 * answer in time.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class LockStoreException extends LockException {

	private final boolean outcomeUnknown;

	private final boolean isTransient;

	/**
	 * Create the exception for a failure that may pass by itself if the outcome is
	 * unknown, and does not otherwise.
	 * @param message what failed
	 * @param outcomeUnknown whether the store may have executed the command
	 * @param cause the failure beneath, if any
	 */
	public LockStoreException(String message, boolean outcomeUnknown, @Nullable Throwable cause) {
		this(message, outcomeUnknown, outcomeUnknown, cause);
	}

	/**
	 * Create the exception.
	 * @param message what failed
	 * @param outcomeUnknown whether the store may have executed the command
	 * @param isTransient whether the same command may succeed a little later
	 * @param cause the failure beneath, if any
	 */
	public LockStoreException(String message, boolean outcomeUnknown, boolean isTransient, @Nullable Throwable cause) {
		super(message, cause);
		this.outcomeUnknown = outcomeUnknown;
		this.isTransient = isTransient;
	}

	/**
	 * Return whether the store may have executed the command all the same. The registry
	 * treats such an acquisition as not acquired and releases it in the background.
	 * @return whether the outcome is unknown
	 */
	public boolean isOutcomeUnknown() {
		return this.outcomeUnknown;
	}

	/**
	 * Return whether the failure may pass by itself, such as a connection that was lost,
	 * a timeout or a server that is loading its data. A command that lacks a permission,
	 * for example, fails for good.
	 * @return whether the same command may succeed a little later
	 */
	public boolean isTransient() {
		return this.isTransient;
	}

}
