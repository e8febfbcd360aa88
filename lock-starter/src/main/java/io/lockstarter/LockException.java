// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions that locks throw in operation.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public abstract class LockException extends RuntimeException {

	private final @Nullable String key;

	LockException(@Nullable String key, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
	}

	/**
	 * Return the key of the lock that could not be had or kept; of several the one that
	 * decided.
	 * @return the key; {@code null} only for a failure of the store that belongs to no
	 * key, or whose key is not known
	 */
	public @Nullable String key() {
		return this.key;
	}

}
