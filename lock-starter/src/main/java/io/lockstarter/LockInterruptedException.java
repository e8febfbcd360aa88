// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

/**
 * Exception thrown when a thread is interrupted while it waits for a lock in a method
 * that does not declare {@link InterruptedException}. Nothing was acquired and the
 * interrupt flag is set again.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class LockInterruptedException extends LockException {

	private final String key;

	/**
	 * Create the exception.
	 * @param key the key that was waited for
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String key, InterruptedException cause) {
		super(key, "Interrupted while waiting for lock '%s'".formatted(key), cause);
		this.key = key;
	}

	/**
	 * Return the key that was waited for.
	 * @return the key
	 */
	@Override
	public String key() {
		return this.key;
	}

}
