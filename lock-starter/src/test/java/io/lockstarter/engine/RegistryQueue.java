package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.ReleaseMode;
import io.lockstarter.engine.QueueOperations.FairLock;

/**
 * One key of a registry that is alone at its store. Time stands still, except for the
 * thread that says that its wait is over.
 */
final class RegistryQueue implements FairLock {

	private static final int MAX_THREADS = 8;

	private static final String KEY = "key";

	private static final Duration WAIT = Duration.ofSeconds(1);

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofDays(1))
		.withRenew(false)
		.withWaitTime(WAIT);

	// Lincheck makes one of these for each interleaving.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<Boolean> late = ThreadLocal.withInitial(() -> false);

	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Runnable> lastTimer = new ThreadLocal<>();

	private final AtomicLong lastToken = new AtomicLong();

	private final AtomicReferenceArray<@Nullable CompletableFuture<Lease>> requests = new AtomicReferenceArray<>(
			MAX_THREADS);

	private final AtomicReferenceArray<@Nullable Runnable> timers = new AtomicReferenceArray<>(MAX_THREADS);

	private final LonelyStore store;

	private final DefaultLockRegistry registry;

	private RegistryQueue(boolean answersLater) {
		RegistrySettings settings = new RegistrySettings(Duration.ofDays(1), WAIT, 0.01, Duration.ofMillis(100),
				Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ZERO, ReleaseMode.CONFIRMED);
		this.store = new LonelyStore(answersLater);
		this.registry = new DefaultLockRegistry("app", this.store, settings, List.of(), this::timing);
	}

	@Override
	public boolean request(int thread) {
		return !isInUse(thread) && ask(thread, OPTIONS) && !this.store.answersLater;
	}

	@Override
	public boolean tryOnce(int thread) {
		if (isInUse(thread)) {
			return false;
		}
		boolean held = ask(thread, OPTIONS.withWaitTime(Duration.ZERO));
		return held || gone(thread);
	}

	@Override
	public boolean cancel(int thread) {
		CompletableFuture<Lease> request = this.requests.get(thread);
		if (request == null || !request.cancel(false)) {
			return false;
		}
		this.requests.set(thread, null);
		return true;
	}

	@Override
	public boolean expire(int thread) {
		CompletableFuture<Lease> request = this.requests.get(thread);
		Runnable timer = this.timers.get(thread);
		if (request == null || timer == null || request.isDone()) {
			return false;
		}
		this.late.set(true);
		timer.run();
		this.late.set(false);
		if (!request.isCompletedExceptionally()) {
			return false;
		}
		this.requests.set(thread, null);
		return true;
	}

	@Override
	public boolean release(int thread) {
		CompletableFuture<Lease> request = this.requests.get(thread);
		if (request == null || !request.isDone() || request.isCompletedExceptionally()) {
			return false;
		}
		Lease lease = request.join();
		this.requests.set(thread, null);
		if (this.lastToken.getAndSet(lease.fencingToken()) >= lease.fencingToken()) {
			throw new AssertionError("tokens do not grow");
		}
		return lease.release().join();
	}

	@Override
	public boolean answer(boolean granted) {
		return this.store.answer(granted);
	}

	private boolean isInUse(int thread) {
		CompletableFuture<Lease> request = this.requests.get(thread);
		return request != null && !request.isCompletedExceptionally();
	}

	private boolean ask(int thread, LockOptions options) {
		this.lastTimer.remove();
		CompletableFuture<Lease> request = this.registry.acquireAsync(KEY, options);
		this.timers.set(thread, this.lastTimer.get());
		this.requests.set(thread, request);
		return request.isDone() && !request.isCompletedExceptionally();
	}

	private boolean gone(int thread) {
		this.requests.set(thread, null);
		return false;
	}

	private Timing timing() {
		return new Timing(() -> this.late.get() ? 2 * WAIT.toNanos() : 0, this::keepTimerOfWaiter,
				(task, delay) -> RegistryQueue::doNothing, Runnable::run, Runnable::run, (leasesLeft) -> doNothing());
	}

	private Runnable keepTimerOfWaiter(Runnable task, long delay) {
		if (delay == WAIT.toNanos()) {
			this.lastTimer.set(task);
		}
		return RegistryQueue::doNothing;
	}

	private static void doNothing() {
	}

	/**
	 * A store with one contender, which must not ask for what it holds.
	 */
	private static final class LonelyStore implements LockStore {

		private final boolean answersLater;

		private final AtomicReference<@Nullable String> owner = new AtomicReference<>();

		private final AtomicReference<@Nullable Runnable> granting = new AtomicReference<>();

		private final AtomicReference<@Nullable Runnable> refusing = new AtomicReference<>();

		private final AtomicLong lastToken = new AtomicLong();

		LonelyStore(boolean answersLater) {
			this.answersLater = answersLater;
		}

		@Override
		public CompletableFuture<AcquireReply> acquire(Acquire command) {
			CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
			if (this.answersLater) {
				this.refusing.set(() -> reply.completeExceptionally(new LockStoreException("refused", false, null)));
				this.granting.set(() -> grant(command, reply));
			}
			else {
				grant(command, reply);
			}
			return reply;
		}

		boolean answer(boolean granted) {
			Runnable grant = this.granting.getAndSet(null);
			Runnable refusal = this.refusing.get();
			if (grant == null || refusal == null) {
				return false;
			}
			(granted ? grant : refusal).run();
			return true;
		}

		private void grant(Acquire command, CompletableFuture<AcquireReply> reply) {
			if (!this.owner.compareAndSet(null, command.ownerId()) && !command.ownerId().equals(this.owner.get())) {
				throw new AssertionError("acquired while held");
			}
			// A store that answers at once can be asked for each token without being
			// noticed.
			int tokens = this.answersLater ? command.tokens() : 1;
			long last = this.lastToken.addAndGet(tokens);
			reply.complete(new Acquired(last - tokens + 1, last, false));
		}

		@Override
		public CompletableFuture<Boolean> release(Release command) {
			return CompletableFuture.completedFuture(this.owner.compareAndSet(command.ownerId(), null));
		}

		@Override
		public CompletableFuture<List<Boolean>> renew(List<Renew> commands) {
			throw new AssertionError("renewed");
		}

		@Override
		public CompletableFuture<?> leave(String key, String instance) {
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public void listen(String instance, Signals signals) {
			signals.listening(true);
		}

		@Override
		public void close() {
		}

	}

	/**
	 * Over a store that answers at once.
	 */
	public static class AnsweredAtOnce extends QueueOperations.AnsweredAtOnce {

		/**
		 * Create a free lock.
		 */
		public AnsweredAtOnce() {
			super(new RegistryQueue(false));
		}

	}

	/**
	 * Over a store that answers when the test does.
	 */
	public static class AnsweredLater extends QueueOperations.AnsweredLater {

		/**
		 * Create a free lock.
		 */
		public AnsweredLater() {
			super(new RegistryQueue(true));
		}

	}

	/**
	 * With one who holds it and two who wait.
	 */
	public static class Prepared extends QueueOperations.Prepared {

		/**
		 * Create a lock that is held.
		 */
		public Prepared() {
			super(new RegistryQueue(false));
		}

	}

}
