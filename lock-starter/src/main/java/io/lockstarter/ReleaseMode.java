package io.lockstarter;

/**
 * When the release of a lease is done for the thread that closes it.
 */
public enum ReleaseMode {

	/**
	 * When the store has confirmed it, or did not within the command timeout.
	 */
	CONFIRMED,

	/**
	 * At once. The release is on its way; what the store answers, or that it does not, is
	 * told to the {@link LockListener listeners} only. Over the same connection the next
	 * acquirer of the key comes after it.
	 */
	ASYNC

}
