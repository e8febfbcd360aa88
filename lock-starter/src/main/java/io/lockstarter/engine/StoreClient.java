// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.LockStoreException;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands of one instance to the store and ends those that stay unanswered for
 * the command timeout, by cancelling them: their outcome is unknown from then on. While
 * the first connection is being made their time does not run: the store bounds that, and
 * fails what waits for it.
 */
final class StoreClient {

	private static final Log logger = LogFactory.getLog(StoreClient.class);

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

	private final LockStore store;

	private final String instance;

	private final Timing timing;

	private final Duration timeout;

	private final Set<Pending> pending = ConcurrentHashMap.newKeySet();

	private final AtomicLong lastPending = new AtomicLong();

	private final OrphanCleaner orphans;

	private final Sweeper timeouts;

	private final AtomicLong failures = new AtomicLong();

	private volatile long connectedAt = Ticker.NEVER;

	private volatile long lastAnswer = Ticker.NEVER;

	private volatile long silentSince = Ticker.NEVER;

	private volatile long lastExpiry = Ticker.NEVER;

	// when each part granted a lock to anybody last; zero if it never did
	private volatile @Nullable AtomicLongArray grantedAt;

	private volatile @Nullable CompletableFuture<@Nullable Void> quiet;

	StoreClient(LockStore store, String instance, Timing timing, Duration timeout) {
		this.store = store;
		this.instance = instance;
		this.timing = timing;
		this.timeout = timeout;
		this.orphans = new OrphanCleaner(this, timing);
		this.timeouts = new Sweeper(timing.deadlines(), this::cancelOverdue, SWEEP_PAUSE);
	}

	/**
	 * Let the store get ready, without waiting for it.
	 */
	void open(LockStore.ConnectionListener listener) {
		CompletableFuture<?> ready;
		try {
			ready = this.store.open(listener);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("The store cannot be opened ahead of the first command", ex);
			ready = CompletableFuture.completedFuture(null);
		}
		Completions.on(ready, (done, failure) -> connected());
	}

	/**
	 * Return when the first connection was made, or could not be made;
	 * {@link Ticker#NEVER} before.
	 */
	long connectedAt() {
		return this.connectedAt;
	}

	boolean isConnected() {
		return this.connectedAt != Ticker.NEVER;
	}

	private void connected() {
		this.connectedAt = this.timing.now();
		inOrder().forEach(this::beginTimeout);
	}

	String instance() {
		return this.instance;
	}

	OrphanCleaner orphans() {
		return this.orphans;
	}

	// What is known of the store, to be read by who asks whether it is well

	/**
	 * Note that a key was granted.
	 */
	void granted(String key) {
		AtomicLongArray grants = this.grantedAt;
		if (grants == null) {
			grants = new AtomicLongArray(partitions());
			this.grantedAt = grants;
		}
		grants.lazySet(partition(key), Math.max(1, this.timing.now()));
	}

	/**
	 * Return since when each part of the store has granted a lock to anybody;
	 * {@link Ticker#NEVER} if one never did.
	 */
	long grantedByAll() {
		AtomicLongArray grants = this.grantedAt;
		long first = (grants != null) ? IntStream.range(0, grants.length()).mapToLong(grants::get).min().orElse(0) : 0;
		return (first != 0) ? first : Ticker.NEVER;
	}

	/**
	 * Note that a lease expired, as it was not renewed.
	 */
	void leaseExpired(long deadline) {
		this.lastExpiry = deadline;
	}

	/**
	 * Return the deadline of the last lease that expired; {@link Ticker#NEVER} if none
	 * did.
	 */
	long lastExpiry() {
		return this.lastExpiry;
	}

	/**
	 * Return when the last command was sent that was answered; {@link Ticker#NEVER} if
	 * none was.
	 */
	long lastAnswer() {
		return this.lastAnswer;
	}

	/**
	 * Return when the first command was sent that failed since then; {@link Ticker#NEVER}
	 * if none did.
	 */
	long silentSince() {
		return this.silentSince;
	}

	/**
	 * Return how many commands failed so far.
	 */
	long failures() {
		return this.failures.get();
	}

	private void failed(long sentAt) {
		this.failures.incrementAndGet();
		if (this.silentSince == Ticker.NEVER) {
			this.silentSince = sentAt;
		}
	}

	private void endSilence() {
		if (this.silentSince != Ticker.NEVER) {
			this.silentSince = Ticker.NEVER;
		}
	}

	// Commands

	CompletableFuture<AcquireReply> acquire(Acquire command) {
		return send(() -> this.store.acquire(command));
	}

	CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		return send(() -> this.store.acquireAll(commands));
	}

	/**
	 * Release a key that the owner id may have no more: it passes the key on then, if
	 * others wait, before anybody else has it.
	 */
	CompletableFuture<Boolean> release(String key, String ownerId) {
		return release(key, ownerId, Queueing.NONE, 1, true);
	}

	CompletableFuture<Boolean> release(String key, String ownerId, Queueing queueing, int tokens, boolean contended) {
		return send(() -> this.store.release(new Release(key, this.instance, ownerId, queueing, tokens, contended)));
	}

	CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
		return send(() -> this.store.renew(commands));
	}

	CompletableFuture<Boolean> share(Renew command) {
		return send(() -> this.store.share(command));
	}

	CompletableFuture<Boolean> keep(Renew command) {
		return send(() -> this.store.keep(command));
	}

	Duration maxTtl() {
		return this.store.maxTtl();
	}

	int partition(String key) {
		return this.store.partition(key);
	}

	int partitions() {
		return this.store.partitions();
	}

	CompletableFuture<?> leave(String key) {
		try {
			return watched(this.store.leave(key, this.instance));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	CompletableFuture<Boolean> forceRelease(String key, String ownerId) {
		return send(() -> this.store.forceRelease(key, ownerId));
	}

	CompletableFuture<StoredLockDetails> inspect(String key) {
		return send(() -> this.store.inspect(key));
	}

	CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		return send(() -> this.store.scan(prefix, cursor, limit));
	}

	/**
	 * Say what a command failed with that failed.
	 */
	String describe(CompletableFuture<?> failed) {
		Throwable failure = failed.handle((reply, cause) -> cause).join();
		return (failure instanceof CancellationException)
				? "the store did not answer within %d ms".formatted(this.timeout.toMillis())
				: String.valueOf(Completions.cause(failure).getMessage());
	}

	void listen(LockStore.Signals signals) {
		try {
			this.store.listen(this.instance, signals);
		}
		catch (RuntimeException ex) {
			logger.warn("Signals cannot be received: waiting for locks is left to polling", ex);
		}
	}

	/**
	 * Return a future that completes as soon as no command is in flight, and whoever
	 * waited for an answer has acted on it; exceptionally if one fails before.
	 */
	CompletableFuture<@Nullable Void> quiet() {
		CompletableFuture<@Nullable Void> quiet = new CompletableFuture<>();
		this.quiet = quiet;
		completeIfQuiet(quiet, null);
		return quiet;
	}

	private void completeIfQuiet(CompletableFuture<@Nullable Void> quiet, @Nullable Throwable failure) {
		if (failure != null) {
			quiet.completeExceptionally(failure);
		}
		else if (this.pending.isEmpty()) {
			quiet.complete(null);
		}
	}

	/**
	 * Return the failure of an acquirer whose time was over before the first answer.
	 */
	LockStoreException noAnswer(String key, long waitedNanos) {
		String obstacle = (this.connectedAt == Ticker.NEVER) ? "the first connection to the store is still being made"
				: "the store did not answer";
		return new LockStoreException(
				"Lock '%s': %s after %d ms".formatted(key, obstacle, TimeUnit.NANOSECONDS.toMillis(waitedNanos)), true,
				null)
			.withKey(key);
	}

	/**
	 * Return the failure for tokens that do not grow: somebody damaged what the store
	 * keeps, or it ran over.
	 */
	LockStoreException noTokens(String key, @Nullable Object reply) {
		return new LockStoreException(
				"Lock '%s': the store has no valid fencing token left for it, its answer is %s".formatted(key, reply),
				true, false, null)
			.withKey(key);
	}

	/**
	 * Translate the failure of a command, in whatever wrapping.
	 */
	LockStoreException failure(String key, Throwable failure) {
		Throwable cause = Completions.cause(failure);
		if (cause instanceof LockStoreException known) {
			return (known.key() != null) ? known : known.withKey(key);
		}
		LockStoreException unknown = (cause instanceof CancellationException)
				? new LockStoreException("Lock '%s': the store did not answer within %d ms (command timeout)"
					.formatted(key, this.timeout.toMillis()), true, null)
				: new LockStoreException("Lock '%s': the store failed: %s".formatted(key, cause), true, false, cause);
		return unknown.withKey(key);
	}

	private <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> command) {
		try {
			return watched(command.get());
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Watch the future of the store itself, as its cancellation withdraws the command.
	 */
	private <T> CompletableFuture<T> watched(CompletableFuture<T> answer) {
		if (!answer.isDone()) {
			watch(answer);
		}
		else if (answer.isCompletedExceptionally()) {
			failed(this.timing.now());
		}
		else {
			endSilence();
		}
		return answer;
	}

	private void watch(CompletableFuture<?> answer) {
		Pending watched = new Pending(this.lastPending.incrementAndGet(), answer);
		this.pending.add(watched);
		try {
			Completions.on(answer, (reply, failure) -> {
				try {
					answered(watched, failure);
				}
				finally {
					ended(watched, failure);
				}
			});
			if (this.connectedAt != Ticker.NEVER) {
				beginTimeout(watched);
			}
		}
		catch (RuntimeException | Error ex) {
			// Nobody waits for it: whoever sent it is told that it failed.
			this.pending.remove(watched);
			answer.cancel(false);
			throw ex;
		}
	}

	/**
	 * Dependents run in the opposite order: whoever waited has acted on the answer.
	 */
	private void ended(Pending watched, @Nullable Throwable failure) {
		this.pending.remove(watched);
		CompletableFuture<@Nullable Void> quiet = this.quiet;
		if (quiet != null) {
			completeIfQuiet(quiet, failure);
		}
	}

	private void answered(Pending watched, @Nullable Throwable failure) {
		// no look at the clock for each command
		long sentAt = (watched.due != Ticker.NEVER) ? watched.due - this.timeout.toNanos() : this.timing.now();
		if (failure == null) {
			long before = this.lastAnswer;
			if (before == Ticker.NEVER || sentAt > before) {
				this.lastAnswer = sentAt;
			}
			endSilence();
			this.orphans.storeAnswered();
		}
		else {
			failed(sentAt);
		}
	}

	private void beginTimeout(Pending watched) {
		watched.due = Ticker.plus(this.timing.now(), this.timeout.toNanos());
		this.timeouts.noLaterThan(watched.due);
	}

	private long cancelOverdue(long now) {
		long next = Ticker.NEVER;
		for (Pending watched : inOrder().toList()) {
			if (watched.due > now) {
				next = Math.min(next, watched.due);
			}
			else if (!watched.answer.isDone()) {
				watched.answer.cancel(false);
			}
		}
		return next;
	}

	/**
	 * Return what is in flight, in the order in which it was sent.
	 */
	private Stream<Pending> inOrder() {
		return this.pending.stream().sorted(Comparator.comparingLong((watched) -> watched.number));
	}

	private static final class Pending {

		private final long number;

		private final CompletableFuture<?> answer;

		private volatile long due = Ticker.NEVER;

		Pending(long number, CompletableFuture<?> answer) {
			this.number = number;
			this.answer = answer;
		}

	}

}
