package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * The base of what a lock may throw in operation.
 */
@SuppressWarnings("serial")
public abstract class LockException extends RuntimeException {

	LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
