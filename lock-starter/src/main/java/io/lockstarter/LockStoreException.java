// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.Objects;

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

	private final boolean isRefusal;

	/**
	 * Create the exception for a failure that may pass by itself if the outcome is
	 * unknown, and is a refusal that does not pass otherwise.
	 * @param message what failed
	 * @param outcomeUnknown whether the store may have executed the command
	 * @param cause the failure beneath, if any
	 */
	public LockStoreException(String message, boolean outcomeUnknown, @Nullable Throwable cause) {
		this(message, outcomeUnknown, outcomeUnknown, cause);
	}

	/**
	 * Create the exception. It is a refusal if it does not pass by itself and the command
	 * was not executed.
	 * @param message what failed
	 * @param outcomeUnknown whether the store may have executed the command
	 * @param isTransient whether the same command may succeed a little later
	 * @param cause the failure beneath, if any
	 */
	public LockStoreException(String message, boolean outcomeUnknown, boolean isTransient, @Nullable Throwable cause) {
		this(message, outcomeUnknown, isTransient, !outcomeUnknown && !isTransient, cause);
	}

	/**
	 * Create the exception.
	 * @param message what failed
	 * @param outcomeUnknown whether the store may have executed the command
	 * @param isTransient whether the same command may succeed a little later
	 * @param isRefusal whether the store answered that it does not serve
	 * @param cause the failure beneath, if any
	 */
	public LockStoreException(String message, boolean outcomeUnknown, boolean isTransient, boolean isRefusal,
			@Nullable Throwable cause) {
		this(null, message, outcomeUnknown, isTransient, isRefusal, cause);
	}

	private LockStoreException(@Nullable String key, String message, boolean outcomeUnknown, boolean isTransient,
			boolean isRefusal, @Nullable Throwable cause) {
		super(key, message, cause);
		this.outcomeUnknown = outcomeUnknown;
		this.isTransient = isTransient;
		this.isRefusal = isRefusal;
	}

	/**
	 * Return this failure as one of a key, with the same message and stack trace.
	 * @param key the key; {@code null} for none
	 * @return the failure, itself if that is its key already
	 */
	public LockStoreException withKey(@Nullable String key) {
		if (Objects.equals(key, key())) {
			return this;
		}
		LockStoreException failure = new LockStoreException(key, String.valueOf(getMessage()), this.outcomeUnknown,
				this.isTransient, this.isRefusal, getCause());
		failure.setStackTrace(getStackTrace());
		return failure;
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

	/**
	 * Return whether the store answered that it does not serve, as it is full, lacks a
	 * permission or is a replica, for example. One that is silent does not refuse, nor
	 * does one that is about to serve, such as a server that is loading its data.
	 * @return whether the store refuses
	 */
	public boolean isRefusal() {
		return this.isRefusal;
	}

}
