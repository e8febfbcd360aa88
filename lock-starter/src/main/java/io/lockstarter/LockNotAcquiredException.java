package io.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Exception thrown when a key stayed busy for as long as its acquirer was willing to
 * wait. Nothing was acquired.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class LockNotAcquiredException extends LockException {

	private final String key;

	private final Duration waited;

	private final @Nullable String holder;

	/**
	 * Create the exception.
	 * @param key the busy key
	 * @param waited how long the acquirer waited
	 * @param holder the owner id that held the key when the store was last asked, if
	 * known
	 */
	public LockNotAcquiredException(String key, Duration waited, @Nullable String holder) {
		this(key, waited, holder, (holder != null) ? "held by " + holder : "holder unknown");
	}

	/**
	 * Create the exception.
	 * @param key the busy key
	 * @param waited how long the acquirer waited
	 * @param holder the owner id that held the key when the store was last asked, if
	 * known
	 * @param description who the holder is, for the message
	 */
	public LockNotAcquiredException(String key, Duration waited, @Nullable String holder, String description) {
		super("Lock '%s' is busy: not acquired within %d ms, %s".formatted(key, waited.toMillis(), description), null);
		this.key = key;
		this.waited = waited;
		this.holder = holder;
	}

	/**
	 * Return the busy key.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return how long the acquirer waited.
	 * @return the time from the call to its end
	 */
	public Duration waited() {
		return this.waited;
	}

	/**
	 * Return the owner id that held the key when the store was last asked. It starts with
	 * the instance id of the holding registry.
	 * @return the owner id; {@code null} if not known
	 */
	public @Nullable String holder() {
		return this.holder;
	}

}
