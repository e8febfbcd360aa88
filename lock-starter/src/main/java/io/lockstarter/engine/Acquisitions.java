package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The two ways to wait: a thread that parks, and a future. Either decides its
 * {@link Waiter} first when it gives up, so that a grant at the same moment is noticed
 * and released.
 */
final class Acquisitions {

	private final LocalQueues queues;

	private final Timing timing;

	Acquisitions(LocalQueues queues) {
		this.queues = queues;
		this.timing = queues.timing();
	}

	/**
	 * Acquire, parking the current thread.
	 * @return the waiter, without a failure
	 * @throws LockStoreException if the store refused or did not answer
	 * @throws InterruptedException if interrupted; nothing stays acquired
	 */
	Waiter acquire(String key, Terms terms) throws InterruptedException {
		if (Thread.interrupted()) {
			throw interrupted(key);
		}
		Waiter waiter = Waiter.parking(key, terms, now());
		LocalQueue queue = this.queues.join(key, waiter);
		try {
			await(queue, waiter);
			return waiter;
		}
		catch (InterruptedException ex) {
			giveUp(queue, waiter);
			throw interrupted(key);
		}
		catch (RuntimeException | Error ex) {
			giveUp(queue, waiter);
			throw ex;
		}
	}

	/**
	 * Acquire, parking the current thread. An interrupt is kept for later.
	 * @return the lease; {@code null} if the key stayed busy
	 */
	@Nullable DefaultLease acquireUninterruptibly(String key, Terms terms) {
		Waiter waiter = Waiter.parking(key, terms, now());
		LocalQueue queue = this.queues.join(key, waiter);
		boolean interrupted = false;
		try {
			while (true) {
				try {
					await(queue, waiter);
					return waiter.lease();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (RuntimeException | Error ex) {
			giveUp(queue, waiter);
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Acquire several keys, all or none, parking the current thread.
	 * @return the leases, in the order of the keys
	 * @throws LockNotAcquiredException if a key stayed busy
	 * @throws LockStoreException if the store refused or did not answer
	 * @throws InterruptedException if interrupted; nothing stays acquired
	 */
	List<DefaultLease> acquireAll(List<String> keys, Terms terms) throws InterruptedException {
		CombinedAcquisition combined = new CombinedAcquisition(this, this.queues, keys, terms);
		CompletableFuture<List<DefaultLease>> result = combined.start();
		try {
			return await(result);
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			giveUp(combined, result);
			throw ex;
		}
	}

	/**
	 * Acquire several keys, all or none, parking the current thread. An interrupt is kept
	 * for later.
	 * @return the leases, in the order of the keys
	 * @throws LockNotAcquiredException if a key stayed busy
	 */
	List<DefaultLease> acquireAllUninterruptibly(List<String> keys, Terms terms) {
		CombinedAcquisition combined = new CombinedAcquisition(this, this.queues, keys, terms);
		CompletableFuture<List<DefaultLease>> result = combined.start();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return await(result);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (RuntimeException | Error ex) {
			giveUp(combined, result);
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Acquire several keys, all or none, without a waiting thread.
	 */
	CompletableFuture<List<Lease>> acquireAllAsync(List<String> keys, Terms terms) {
		CombinedAcquisition combined = new CombinedAcquisition(this, this.queues, keys, terms);
		CompletableFuture<List<Lease>> result = new CompletableFuture<>();
		CompletableFuture<List<DefaultLease>> acquired = combined.start();
		Completions.on(acquired, (leases, failure) -> onExecutor(() -> {
			if (leases == null) {
				result.completeExceptionally((failure != null) ? failure : new IllegalStateException("No lease"));
			}
			else if (!result.complete(List.copyOf(leases))) {
				combined.discard(acquired);
			}
		}));
		// Without effect if it was completed with what was acquired.
		Completions.on(result, (leases, failure) -> acquired.cancel(false));
		return result;
	}

	/**
	 * Acquire without a waiting thread.
	 */
	CompletableFuture<Lease> acquireAsync(String key, Terms terms) {
		CompletableFuture<Lease> result = new CompletableFuture<>();
		Request request = new Request(key, terms, now()) {

			@Override
			void decided(Waiter waiter) {
				onExecutor(() -> deliver(waiter, result));
			}

		};
		request.start();
		// Without effect if it was completed with what the waiter got.
		Completions.on(result, (lease, failure) -> request.abandon());
		return result;
	}

	long now() {
		return this.timing.now();
	}

	LockNotAcquiredException busy(Waiter waiter) {
		String holder = waiter.holder();
		Duration waited = Duration.ofNanos(now() - waiter.since());
		if (holder == null || !holder.startsWith(this.queues.instance() + ":")) {
			return new LockNotAcquiredException(waiter.key(), waited, holder);
		}
		String description = isHeldByOuterCall(waiter.key())
				? "held by this instance (%s), and that by an outer call of this one, which cannot end before it"
				: "held by this instance (%s)";
		return new LockNotAcquiredException(waiter.key(), waited, holder, description.formatted(holder));
	}

	private static boolean isHeldByOuterCall(String key) {
		return LockScope.find()
			.filter((scope) -> scope.leases().stream().anyMatch((lease) -> lease.key().equals(key)))
			.isPresent();
	}

	static InterruptedException interrupted(String key) {
		return new InterruptedException("Interrupted while acquiring lock '" + key + "'");
	}

	private void await(LocalQueue queue, Waiter waiter) throws InterruptedException {
		long until = this.queues.patience().firstLook(waiter);
		while (!waiter.park((until != Ticker.NEVER) ? until - now() : Ticker.NEVER)) {
			if (until != Ticker.NEVER && now() >= until) {
				until = queue.expire(waiter);
			}
		}
		RuntimeException failure = waiter.failure();
		if (failure != null) {
			throw here(failure);
		}
	}

	private static List<DefaultLease> await(CompletableFuture<List<DefaultLease>> result) throws InterruptedException {
		try {
			try {
				return result.get();
			}
			catch (RejectedExecutionException ex) {
				// the pool of this thread refuses to make up for it: block it all the
				// same
				CountDownLatch decided = new CountDownLatch(1);
				Completions.on(result, (leases, failure) -> decided.countDown());
				decided.await();
				return result.get();
			}
		}
		catch (ExecutionException ex) {
			throw here(ex.getCause());
		}
	}

	/**
	 * The same failure with the stack of the thread that acquires.
	 */
	private static RuntimeException here(@Nullable Throwable failure) {
		if (failure instanceof LockStoreException ex) {
			return new LockStoreException(String.valueOf(ex.getMessage()), ex.isOutcomeUnknown(), ex.isTransient(), ex);
		}
		if (failure instanceof LockException ex) {
			return ex;
		}
		return new IllegalStateException((failure != null) ? failure.getMessage() : null, failure);
	}

	private void deliver(Waiter waiter, CompletableFuture<Lease> result) {
		RuntimeException failure = waiter.failure();
		DefaultLease lease = waiter.lease();
		if (failure != null) {
			result.completeExceptionally(failure);
		}
		else if (lease == null) {
			result.completeExceptionally(busy(waiter));
		}
		else if (!result.complete(lease)) {
			var unused = lease.discard();
		}
	}

	private void onExecutor(Runnable task) {
		try {
			this.timing.async().execute(task);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			task.run();
		}
	}

	private static void giveUp(LocalQueue queue, Waiter waiter) {
		if (waiter.giveUp()) {
			queue.abandon(waiter);
			return;
		}
		DefaultLease granted = waiter.lease();
		if (granted != null) {
			var unused = granted.discard();
		}
	}

	private static void giveUp(CombinedAcquisition combined, CompletableFuture<List<DefaultLease>> result) {
		if (!result.cancel(false)) {
			combined.discard(result);
		}
	}

	/**
	 * An acquirer without a thread: its wait is ended by a timer.
	 */
	abstract class Request {

		private final Waiter waiter;

		private @Nullable LocalQueue queue;

		private volatile @Nullable Runnable timer;

		/**
		 * Create a request.
		 * @param key what to acquire
		 * @param terms how to acquire
		 * @param since the instant from which the wait counts
		 */
		Request(String key, Terms terms, long since) {
			this.waiter = Waiter.calling(key, terms, since, this::decided);
		}

		/**
		 * The outcome is decided.
		 */
		abstract void decided(Waiter waiter);

		void start() {
			LocalQueue joined = Acquisitions.this.queues.join(this.waiter.key(), this.waiter);
			this.queue = joined;
			expireAt(joined, Acquisitions.this.queues.patience().firstLook(this.waiter));
		}

		/**
		 * Give up, if nothing was decided yet.
		 * @return whether nothing was
		 */
		boolean abandon() {
			LocalQueue joined = this.queue;
			boolean first = this.waiter.giveUp();
			if (first && joined != null) {
				joined.abandon(this.waiter);
			}
			stopTimer();
			return first;
		}

		private void decided() {
			stopTimer();
			decided(this.waiter);
		}

		private void expireAt(LocalQueue joined, long instant) {
			if (instant == Ticker.NEVER || this.waiter.isDecided()) {
				return;
			}
			this.timer = Acquisitions.this.timing.deadlines()
				.schedule(() -> expireAt(joined, joined.expire(this.waiter)), instant - now());
			if (this.waiter.isDecided()) {
				stopTimer();
			}
		}

		private void stopTimer() {
			Runnable cancellation = this.timer;
			if (cancellation != null) {
				cancellation.run();
			}
		}

	}

}
