// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.List;

import io.lockstarter.text.PrintableText;
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

	private final Details details;

	/**
	 * Create the exception.
	 * @param key the busy key
	 * @param waited how long the acquirer waited
	 * @param holders the owner ids that held the key when the store was last asked; empty
	 * if not known
	 */
	public LockNotAcquiredException(String key, Duration waited, List<String> holders) {
		this(key, new Details(waited, holders, List.of(), null, 0,
				holders.isEmpty() ? "holder unknown" : "held by " + PrintableText.of(String.join(", ", holders))));
	}

	/**
	 * Create the exception.
	 * @param key the busy key
	 * @param details how long the acquirer waited, and what is known of the holders and
	 * of others who wait
	 */
	public LockNotAcquiredException(String key, Details details) {
		this(key, details, "Lock '%s' is busy: not acquired within %d ms, %s".formatted(key,
				details.waited().toMillis(), details.description()));
	}

	private LockNotAcquiredException(String key, Details details, String message) {
		super(key, message, null);
		this.key = key;
		this.details = details;
	}

	/**
	 * Create the exception for what only a leader does.
	 * @param role what the leader does
	 * @param key the key of its lease
	 * @return the exception
	 */
	public static LockNotAcquiredException notLeading(String role, String key) {
		String description = "this instance does not lead '%s'".formatted(PrintableText.of(role));
		return new LockNotAcquiredException(key, new Details(Duration.ZERO, List.of(), List.of(), null, 0, description),
				"This instance does not lead '%s': another one does, or none at present"
					.formatted(PrintableText.of(role)));
	}

	/**
	 * Return the busy key.
	 * @return the key
	 */
	@Override
	public String key() {
		return this.key;
	}

	/**
	 * Return how long the acquirer waited.
	 * @return the time from the call to its end
	 */
	public Duration waited() {
		return this.details.waited();
	}

	/**
	 * Return the owner ids that held the key when the store was last asked: one, as the
	 * locks of this version are exclusive. Each begins with the instance id of the
	 * holding registry. What somebody else wrote into the store is here as it can be
	 * printed.
	 * @return the owner ids; empty if not known
	 */
	public List<String> holders() {
		return this.details.holders();
	}

	/**
	 * Return the ids of the instances that held the key, each once. An id that the
	 * starter made names the application, the host or pod, and the process:
	 * {@code orders@orders-6c5d-x2k-1-…}.
	 * @return the instance ids; empty if not known
	 */
	public List<String> holderInstances() {
		return this.details.holders()
			.stream()
			.map((holder) -> holder.contains(":") ? holder.substring(0, holder.lastIndexOf(':')) : holder)
			.distinct()
			.toList();
	}

	/**
	 * Return the threads of this JVM that held the key.
	 * @return their names and ids, such as {@code worker-3 (#42)}; empty if another
	 * instance held the key, or if it was acquired asynchronously
	 */
	public List<String> holderThreads() {
		return this.details.threads();
	}

	/**
	 * Return for how long the holder had the key, of several the first one: exactly, if
	 * it was in this JVM; else at least that long, as far as this instance saw it.
	 * @return the time; {@code null} if not known
	 */
	public @Nullable Duration heldFor() {
		return this.details.heldFor();
	}

	/**
	 * Return how many others waited for the key in this instance.
	 * @return the number
	 */
	public int waiting() {
		return this.details.waiting();
	}

	/**
	 * What is known of a busy key.
	 *
	 * @param waited how long the acquirer waited
	 * @param holders the owner ids that held it when the store was last asked; empty if
	 * not known
	 * @param threads the threads of this JVM that held it
	 * @param heldFor for how long the holder had it, at least; {@code null} if not known
	 * @param waiting how many others waited for it in this instance
	 * @param description all of that, for the message
	 * @since 0.1
	 */
	public record Details(Duration waited, List<String> holders, List<String> threads, @Nullable Duration heldFor,
			int waiting, String description) {

		public Details {
			holders = holders.stream().map(PrintableText::of).toList();
			threads = List.copyOf(threads);
		}

	}

}
