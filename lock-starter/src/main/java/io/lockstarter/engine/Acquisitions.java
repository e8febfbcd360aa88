package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The two ways to wait: a thread that parks, and a future. Either completes its
 * {@link Waiter} first when it gives up, so that a grant at the same moment is noticed
 * and released.
 */
final class Acquisitions {

	private final LocalQueues queues;

	private final Timing timing;

	private final long commandTimeout;

	Acquisitions(LocalQueues queues) {
		this.queues = queues;
		this.timing = queues.timing();
		this.commandTimeout = queues.settings().commandTimeout().toNanos();
	}

	/**
	 * Acquire, parking the current thread.
	 * @return the waiter, completed normally
	 * @throws LockStoreException if the store refused or did not answer
	 * @throws InterruptedException if interrupted; nothing stays acquired
	 */
	Waiter acquire(String key, Terms terms) throws InterruptedException {
		if (Thread.interrupted()) {
			throw interrupted(key);
		}
		Waiter waiter = newWaiter(key, terms);
		LocalQueue queue = this.queues.join(key, waiter);
		try {
			await(queue, waiter);
			return waiter;
		}
		catch (InterruptedException ex) {
			giveUp(queue, waiter);
			throw interrupted(key);
		}
		catch (Error ex) {
			giveUp(queue, waiter);
			throw ex;
		}
	}

	/**
	 * Try all keys at once, parking the current thread until each is answered.
	 * @return the waiters, all completed normally
	 * @throws LockStoreException if the store refused or did not answer for one of them;
	 * nothing stays acquired
	 * @throws InterruptedException if interrupted; nothing stays acquired
	 */
	List<Waiter> acquireAll(List<String> keys, Terms terms) throws InterruptedException {
		List<Waiter> waiters = new ArrayList<>(keys.size());
		List<LocalQueue> joined = new ArrayList<>(keys.size());
		try {
			for (String key : keys) {
				Waiter waiter = newWaiter(key, terms);
				joined.add(this.queues.join(key, waiter));
				waiters.add(waiter);
			}
			for (int i = 0; i < waiters.size(); i++) {
				await(joined.get(i), waiters.get(i));
			}
			return waiters;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			for (int i = 0; i < waiters.size(); i++) {
				giveUp(joined.get(i), waiters.get(i));
			}
			throw ex;
		}
	}

	/**
	 * Release what those that were granted have got, without waiting for it.
	 */
	static void releaseGranted(Collection<Waiter> waiters) {
		for (Waiter waiter : waiters) {
			DefaultLease lease = waiter.join();
			if (lease != null) {
				var unused = lease.discard();
			}
		}
	}

	/**
	 * Acquire, parking the current thread. An interrupt is kept for later.
	 * @return the lease; {@code null} if the key stayed busy
	 */
	@Nullable DefaultLease acquireUninterruptibly(String key, Terms terms) {
		Waiter waiter = newWaiter(key, terms);
		LocalQueue queue = this.queues.join(key, waiter);
		boolean interrupted = false;
		try {
			while (true) {
				try {
					await(queue, waiter);
					return waiter.join();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Acquire without a waiting thread.
	 */
	CompletableFuture<Lease> acquireAsync(String key, Terms terms) {
		Waiter waiter = newWaiter(key, terms);
		LocalQueue queue = this.queues.join(key, waiter);
		CompletableFuture<Lease> result = new CompletableFuture<>();
		if (!terms.triesOnce()) {
			expireInTime(queue, waiter, waiter.waitUntil());
		}
		Completions.on(waiter, (lease, failure) -> onExecutor(() -> deliver(key, waiter, lease, failure, result)));
		// Without effect if it was completed with what the waiter got.
		Completions.on(result, (lease, failure) -> abandon(queue, waiter));
		return result;
	}

	long now() {
		return this.timing.now();
	}

	LockNotAcquiredException busy(String key, Waiter waiter) {
		return new LockNotAcquiredException(key, Duration.ofNanos(this.timing.now() - waiter.since()), waiter.holder());
	}

	static InterruptedException interrupted(String key) {
		return new InterruptedException("Interrupted while acquiring lock '" + key + "'");
	}

	private Waiter newWaiter(String key, Terms terms) {
		long patience = terms.triesOnce() ? this.commandTimeout
				: Math.min(this.commandTimeout, TimeUnit.MILLISECONDS.toNanos(100));
		return new Waiter(key, terms, this.timing.now(), patience);
	}

	private void await(LocalQueue queue, Waiter waiter) throws InterruptedException {
		long until = waiter.terms().triesOnce() ? Ticker.plus(waiter.since(), waiter.patience()) : waiter.waitUntil();
		while (true) {
			try {
				if (until == Ticker.NEVER) {
					waiter.get();
				}
				else {
					waiter.get(Math.max(0, until - this.timing.now()), TimeUnit.NANOSECONDS);
				}
				return;
			}
			catch (TimeoutException ex) {
				until = queue.expire(waiter);
			}
			catch (ExecutionException ex) {
				throw here(ex.getCause());
			}
		}
	}

	/**
	 * The same failure with the stack of the thread that acquires.
	 */
	private static RuntimeException here(@Nullable Throwable failure) {
		if (failure instanceof LockStoreException ex) {
			return new LockStoreException(String.valueOf(ex.getMessage()), ex.isOutcomeUnknown(), ex);
		}
		return new IllegalStateException((failure != null) ? failure.getMessage() : null, failure);
	}

	private void expireInTime(LocalQueue queue, Waiter waiter, long instant) {
		Runnable cancellation = this.timing.deadlines().schedule(() -> {
			long again = queue.expire(waiter);
			if (again != Ticker.NEVER) {
				expireInTime(queue, waiter, again);
			}
		}, instant - this.timing.now());
		Completions.on(waiter, (lease, failure) -> cancellation.run());
	}

	private void deliver(String key, Waiter waiter, @Nullable DefaultLease lease, @Nullable Throwable failure,
			CompletableFuture<Lease> result) {
		if (failure != null) {
			result.completeExceptionally(failure);
		}
		else if (lease == null) {
			result.completeExceptionally(busy(key, waiter));
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
		if (abandon(queue, waiter)) {
			return;
		}
		DefaultLease granted = waiter.isCompletedExceptionally() ? null : waiter.join();
		if (granted != null) {
			DefaultLease.discardAll(List.of(granted));
		}
	}

	private static boolean abandon(LocalQueue queue, Waiter waiter) {
		boolean first = waiter.cancel(false);
		if (first) {
			queue.abandon(waiter);
		}
		return first;
	}

}
