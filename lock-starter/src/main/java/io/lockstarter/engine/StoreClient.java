package io.lockstarter.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.lockstarter.LockStoreException;
import io.lockstarter.engine.LockStore.Acquire;
import io.lockstarter.engine.LockStore.AcquireAllReply;
import io.lockstarter.engine.LockStore.AcquireReply;
import io.lockstarter.engine.LockStore.Release;
import io.lockstarter.engine.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands of one instance to the store and ends those that stay unanswered for
 * the command timeout, by cancelling them: their outcome is unknown from then on. While
 * the first connection is being made their time does not run: the store bounds that, and
 * fails what waits for it.
 */
final class StoreClient {

	private static final Logger logger = System.getLogger(StoreClient.class.getName());

	private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONG_RETRY = TimeUnit.SECONDS.toNanos(1);

	/**
	 * While the store is not reached: its first answer repeats what is left in any case.
	 */
	private static final long UNREACHED_RETRY = TimeUnit.MINUTES.toNanos(1);

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LONGEST_OUTAGE = TimeUnit.MINUTES.toNanos(10);

	private final LockStore store;

	private final String instance;

	private final Timing timing;

	private final Duration timeout;

	private final Set<Pending> pending = ConcurrentHashMap.newKeySet();

	private final Set<Retry> unreached = ConcurrentHashMap.newKeySet();

	private final Sweeper timeouts;

	private volatile long connectedAt = Ticker.NEVER;

	StoreClient(LockStore store, String instance, Timing timing, Duration timeout) {
		this.store = store;
		this.instance = instance;
		this.timing = timing;
		this.timeout = timeout;
		this.timeouts = new Sweeper(timing.ticker(), timing.deadlines(), this::cancelOverdue, SWEEP_PAUSE);
	}

	/**
	 * Let the store get ready, without waiting for it.
	 * @param reconnected what to do when commands go over another connection than before
	 */
	void open(Runnable reconnected) {
		CompletableFuture<?> ready;
		try {
			ready = this.store.open(reconnected::run);
		}
		catch (RuntimeException ex) {
			logger.log(Level.DEBUG, "The store cannot be opened ahead of the first command", ex);
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

	private void connected() {
		this.connectedAt = this.timing.now();
		this.pending.forEach(this::beginTimeout);
	}

	String instance() {
		return this.instance;
	}

	CompletableFuture<AcquireReply> acquire(Acquire command) {
		return send(() -> this.store.acquire(command));
	}

	CompletableFuture<AcquireAllReply> acquireAll(List<Acquire> commands) {
		return send(() -> this.store.acquireAll(commands));
	}

	CompletableFuture<Boolean> release(String key, String ownerId, boolean requeue) {
		return send(() -> this.store.release(new Release(key, this.instance, ownerId, requeue)));
	}

	CompletableFuture<List<Boolean>> renew(List<Renew> commands) {
		return send(() -> this.store.renew(commands));
	}

	CompletableFuture<?> leave(String key) {
		try {
			return watched(this.store.leave(key, this.instance));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	void listen(LockStore.Signals signals) {
		try {
			this.store.listen(this.instance, signals);
		}
		catch (RuntimeException ex) {
			logger.log(Level.WARNING, "Signals cannot be received: waiting for locks is left to polling", ex);
		}
	}

	/**
	 * Completes when all commands that are in flight now are answered or given up.
	 */
	CompletableFuture<Void> quiet() {
		return CompletableFuture
			.allOf(this.pending.stream().map((watched) -> watched.answer).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Release what may be, or may yet become, held by an owner id although nobody here
	 * holds it. Repeated until it is certain, or the ttl has passed since the store first
	 * answered: it may still execute an acquire command that was given up. If the store
	 * was not reached, repeated as soon as it answers anything.
	 * @param key the key
	 * @param ownerId who may hold it
	 * @param ttl for how long it may be held
	 * @param acquireMayFollow whether "not held" is no certainty yet
	 */
	void settle(String key, String ownerId, Duration ttl, boolean acquireMayFollow) {
		long longestDelay = Math.max(LONG_RETRY, ttl.toNanos() / 4);
		long patience = acquireMayFollow ? Math.max(ttl.toNanos(), LONGEST_OUTAGE) : ttl.toNanos();
		long until = Ticker.plus(this.timing.now(), patience);
		settle(new Settlement(key, ownerId, ttl.toNanos(), until, longestDelay, acquireMayFollow, false), FIRST_RETRY,
				false);
	}

	private void settle(Settlement open, long delay, boolean hastened) {
		Completions.on(release(open.key, open.ownerId, false), (held, failure) -> {
			boolean certain = held != null && (held || !open.acquireMayFollow);
			Settlement left = (held != null) ? open.answered(this.timing.now()) : open;
			if (!certain && this.timing.now() < left.until) {
				Retry retry = new Retry(left, left.isFirstAnswer(open) ? FIRST_RETRY : delay);
				if (failure != null && !hastened) {
					retry.alsoWhenReached();
				}
			}
		});
	}

	private void reached() {
		if (!this.unreached.isEmpty()) {
			this.timing.watchdog().schedule(() -> this.unreached.forEach(Retry::hasten), 0);
		}
	}

	/**
	 * Return what to tell an acquirer whose time was over before the first answer.
	 */
	LockStoreException noAnswer(String key, long waitedNanos) {
		String obstacle = (this.connectedAt == Ticker.NEVER) ? "the first connection to the store is still being made"
				: "the store did not answer";
		return new LockStoreException(
				"Lock '%s': %s after %d ms".formatted(key, obstacle, TimeUnit.NANOSECONDS.toMillis(waitedNanos)), true,
				null);
	}

	/**
	 * Return what to tell if the store answered with tokens that do not grow: somebody
	 * damaged what it keeps, or it ran over.
	 */
	LockStoreException noTokens(String key, @Nullable Object reply) {
		return new LockStoreException(
				"Lock '%s': the store has no valid fencing token left for it, its answer is %s".formatted(key, reply),
				true, false, null);
	}

	/**
	 * Translate what a command failed with.
	 * @param key the key of the command
	 * @param failure the failure, in whatever wrapping
	 * @return the exception to show
	 */
	LockStoreException failure(String key, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof LockStoreException known) {
			return known;
		}
		if (cause instanceof CancellationException) {
			return new LockStoreException("Lock '%s': the store did not answer within %d ms (command timeout)"
				.formatted(key, this.timeout.toMillis()), true, null);
		}
		return new LockStoreException("Lock '%s': the store failed: %s".formatted(key, cause), true, false, cause);
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
	 * Watch the future of the store itself: what is withdrawn must be the command.
	 */
	private <T> CompletableFuture<T> watched(CompletableFuture<T> answer) {
		if (!answer.isDone()) {
			watch(answer);
		}
		return answer;
	}

	private void watch(CompletableFuture<?> answer) {
		Pending watched = new Pending(answer);
		this.pending.add(watched);
		Completions.on(answer, (reply, failure) -> {
			this.pending.remove(watched);
			if (failure == null) {
				reached();
			}
		});
		if (this.connectedAt != Ticker.NEVER) {
			beginTimeout(watched);
		}
	}

	private void beginTimeout(Pending watched) {
		watched.due = Ticker.plus(this.timing.now(), this.timeout.toNanos());
		this.timeouts.noLaterThan(watched.due);
	}

	private long cancelOverdue(long now) {
		long next = Ticker.NEVER;
		for (Pending watched : this.pending) {
			if (watched.due <= now) {
				watched.answer.cancel(false);
			}
			else {
				next = Math.min(next, watched.due);
			}
		}
		return next;
	}

	/**
	 * What may be held without a holder.
	 */
	private record Settlement(String key, String ownerId, long ttl, long until, long longestDelay,
			boolean acquireMayFollow, boolean reached) {

		/**
		 * The store is there. What was sent to it before it answered is executed soon, if
		 * ever.
		 */
		Settlement answered(long now) {
			return this.reached ? this : new Settlement(this.key, this.ownerId, this.ttl, Ticker.plus(now, this.ttl),
					this.longestDelay, this.acquireMayFollow, true);
		}

		/**
		 * Whether this is what is left now that the store answered for the first time.
		 */
		boolean isFirstAnswer(Settlement before) {
			return this.reached && !before.reached;
		}

	}

	/**
	 * A release that is repeated in its time, or once earlier: a store that answers may
	 * still refuse it.
	 */
	private final class Retry {

		private final Settlement open;

		private final long delay;

		private final AtomicBoolean done = new AtomicBoolean();

		private final Runnable cancellation;

		Retry(Settlement open, long delay) {
			this.open = open;
			this.delay = delay;
			this.cancellation = StoreClient.this.timing.watchdog().schedule(this::repeat, delay);
		}

		void alsoWhenReached() {
			StoreClient.this.unreached.add(this);
			if (this.done.get()) {
				StoreClient.this.unreached.remove(this);
			}
		}

		void hasten() {
			if (begin()) {
				this.cancellation.run();
				settle(this.open, Math.min(this.delay, this.open.longestDelay), true);
			}
		}

		private void repeat() {
			if (begin()) {
				long longest = this.open.reached ? this.open.longestDelay
						: Math.max(this.open.longestDelay, UNREACHED_RETRY);
				settle(this.open, Math.min(2 * this.delay, longest), false);
			}
		}

		private boolean begin() {
			boolean first = this.done.compareAndSet(false, true);
			StoreClient.this.unreached.remove(this);
			return first;
		}

	}

	private static final class Pending {

		private final CompletableFuture<?> answer;

		private volatile long due = Ticker.NEVER;

		Pending(CompletableFuture<?> answer) {
			this.answer = answer;
		}

	}

}
