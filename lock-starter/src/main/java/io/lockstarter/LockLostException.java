// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

/**
 * Exception thrown when a lease ended without its holder releasing it. The protected
 * section was not exclusive, or not up to its end.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class LockLostException extends LockException {

	private final String key;

	private final long fencingToken;

	private final LossCause lossCause;

	/**
	 * Create the exception.
	 * @param key the key of the lease
	 * @param fencingToken the fencing token of the lease
	 * @param lossCause why the lease was lost
	 */
	public LockLostException(String key, long fencingToken, LossCause lossCause) {
		this(key, fencingToken, lossCause, describe(lossCause));
	}

	/**
	 * Create the exception for a loss that the resource itself has noticed, such as a
	 * database that has seen a larger fencing token.
	 * @param key the key of the lease
	 * @param fencingToken the fencing token of the lease
	 * @param lossCause why the lease was lost
	 * @param detail how that was noticed, without a full stop
	 */
	public LockLostException(String key, long fencingToken, LossCause lossCause, String detail) {
		super(key, "Lock '%s' was lost (%s, fencing token %d): %s".formatted(key, lossCause, fencingToken, detail),
				null);
		this.key = key;
		this.fencingToken = fencingToken;
		this.lossCause = lossCause;
	}

	private static String describe(LossCause cause) {
		return switch (cause) {
			case EXPIRED -> "its deadline passed, and another holder may have it";
			case TAKEN ->
				"the store no longer has it for this lease, as it expired there, was deleted or has another holder";
			case FORCED -> "somebody released it by force, and another holder may have it";
		};
	}

	/**
	 * Return the key of the lease.
	 * @return the key
	 */
	@Override
	public String key() {
		return this.key;
	}

	/**
	 * Return the fencing token of the lease.
	 * @return the token
	 */
	public long fencingToken() {
		return this.fencingToken;
	}

	/**
	 * Return why the lease was lost.
	 * @return the cause of the loss
	 */
	public LossCause lossCause() {
		return this.lossCause;
	}

}
