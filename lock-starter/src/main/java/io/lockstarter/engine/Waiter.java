package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * One acquirer in a {@link LocalQueue}. Completing the future decides between a grant,
 * the end of the wait and whoever gives up: the first wins. Completed with a lease when
 * granted, with {@code null} when the key stayed busy.
 */
final class Waiter extends CompletableFuture<@Nullable DefaultLease> {

	private final String key;

	private final Terms terms;

	private final long since;

	private final long waitUntil;

	private final long patience;

	private volatile @Nullable String holder;

	private boolean answered;

	@Nullable Waiter previous;

	@Nullable Waiter next;

	boolean linked;

	/**
	 * Create a waiter.
	 * @param key what to acquire
	 * @param terms how to acquire
	 * @param now the present instant
	 * @param patience how long to wait for the answer to a command beyond the wait time
	 */
	Waiter(String key, Terms terms, long now, long patience) {
		this.key = key;
		this.terms = terms;
		this.since = now;
		this.waitUntil = Ticker.plus(now, terms.waitNanos());
		this.patience = patience;
	}

	String key() {
		return this.key;
	}

	Terms terms() {
		return this.terms;
	}

	long since() {
		return this.since;
	}

	long waitUntil() {
		return this.waitUntil;
	}

	/**
	 * Return for how long the answer to a command is awaited, even beyond the wait time:
	 * whoever tries once wants to know.
	 */
	long patience() {
		return this.patience;
	}

	/**
	 * The store answered that somebody else holds the key. Called under the mutex of the
	 * queue.
	 */
	void answeredBusy(@Nullable String holder) {
		this.answered = true;
		this.holder = holder;
	}

	/**
	 * The key stayed busy for the whole wait. Called under the mutex of the queue.
	 */
	void busy(@Nullable String holder) {
		answeredBusy(holder);
		complete(null);
	}

	boolean answered() {
		return this.answered;
	}

	@Nullable String holder() {
		return this.holder;
	}

}
