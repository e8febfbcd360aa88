package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * The store refused a command, could not be reached, or did not answer in time.
 */
@SuppressWarnings("serial")
public final class LockStoreException extends LockException {

	private final boolean outcomeUnknown;

	/**
	 * Create the exception.
	 * @param message what failed
	 * @param outcomeUnknown whether the store may have executed the command
	 * @param cause the failure beneath, if any
	 */
	public LockStoreException(String message, boolean outcomeUnknown, @Nullable Throwable cause) {
		super(message, cause);
		this.outcomeUnknown = outcomeUnknown;
	}

	/**
	 * Return whether the store may have executed the command all the same. The registry
	 * treats such an acquisition as not acquired and releases it in the background.
	 * @return whether the outcome is unknown
	 */
	public boolean isOutcomeUnknown() {
		return this.outcomeUnknown;
	}

}
