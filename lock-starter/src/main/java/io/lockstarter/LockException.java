package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions that locks throw in operation.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public abstract class LockException extends RuntimeException {

	LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
