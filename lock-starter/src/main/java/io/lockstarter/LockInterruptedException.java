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

	/**
	 * Create the exception.
	 * @param key the key that was waited for
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String key, InterruptedException cause) {
		super("Interrupted while waiting for lock '%s'".formatted(key), cause);
	}

}
