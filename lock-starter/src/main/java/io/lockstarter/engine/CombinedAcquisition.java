package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases of several keys, all or none, without a waiting thread; in the same
 * steps as a {@link CombinedLock}.
 */
final class CombinedAcquisition {

	private final Acquisitions acquisitions;

	private final List<String> keys;

	private final Terms terms;

	private final long since;

	private final CompletableFuture<List<Lease>> result = new CompletableFuture<>();

	private CombinedAcquisition(Acquisitions acquisitions, List<String> keys, Terms terms) {
		this.acquisitions = acquisitions;
		this.keys = keys;
		this.terms = terms;
		this.since = acquisitions.now();
	}

	static CompletableFuture<List<Lease>> start(Acquisitions acquisitions, List<String> keys, Terms terms) {
		CombinedAcquisition combined = new CombinedAcquisition(acquisitions, keys, terms);
		if (keys.size() == 1) {
			combined.next(List.of());
		}
		else {
			combined.tryAll();
		}
		return combined.result;
	}

	private void tryAll() {
		List<CompletableFuture<Lease>> attempts = new ArrayList<>(this.keys.size());
		for (String key : this.keys) {
			attempts.add(attempt(key, this.terms.waiting(0)));
		}
		Completions.on(CompletableFuture.allOf(attempts.toArray(CompletableFuture<?>[]::new)), (all, failure) -> {
			if (failure == null) {
				deliver(attempts.stream().map(CompletableFuture::join).toList());
				return;
			}
			attempts.stream()
				.filter((attempt) -> !attempt.isCompletedExceptionally())
				.forEach((attempt) -> release(attempt.join()));
			Throwable cause = attempts.stream()
				.map(CombinedAcquisition::failureOf)
				.filter((reason) -> reason != null && !(reason instanceof LockNotAcquiredException))
				.findFirst()
				.orElse(null);
			if (cause != null || this.terms.triesOnce()) {
				fail((cause != null) ? cause : failure);
			}
			else {
				next(List.of());
			}
		});
	}

	/**
	 * Acquire the next key in order.
	 * @param acquired the leases of those before it
	 */
	private void next(List<Lease> acquired) {
		if (acquired.size() == this.keys.size()) {
			deliver(acquired);
			return;
		}
		if (this.result.isDone()) {
			acquired.forEach(CombinedAcquisition::release);
			return;
		}
		long waited = this.acquisitions.now() - this.since;
		long left = (this.terms.waitNanos() != Ticker.NEVER) ? Math.max(0, this.terms.waitNanos() - waited)
				: Ticker.NEVER;
		Completions.on(attempt(this.keys.get(acquired.size()), this.terms.waiting(left)), (lease, failure) -> {
			if (lease != null) {
				List<Lease> more = new ArrayList<>(acquired);
				more.add(lease);
				next(more);
			}
			else {
				acquired.forEach(CombinedAcquisition::release);
				fail(failure);
			}
		});
	}

	private CompletableFuture<Lease> attempt(String key, Terms terms) {
		CompletableFuture<Lease> attempt;
		try {
			attempt = this.acquisitions.acquireAsync(key, terms);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		Completions.on(this.result, (leases, failure) -> attempt.cancel(false));
		return attempt;
	}

	private void deliver(List<Lease> leases) {
		if (!this.result.complete(leases)) {
			leases.forEach(CombinedAcquisition::release);
		}
	}

	private void fail(@Nullable Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof LockNotAcquiredException busy) {
			cause = new LockNotAcquiredException(busy.key(), Duration.ofNanos(this.acquisitions.now() - this.since),
					busy.holder());
		}
		this.result.completeExceptionally((cause != null) ? cause : new IllegalStateException("No lease"));
	}

	private static void release(Lease lease) {
		if (lease instanceof DefaultLease granted) {
			var unused = granted.discard();
		}
	}

	private static @Nullable Throwable failureOf(CompletableFuture<?> attempt) {
		try {
			attempt.join();
			return null;
		}
		catch (RuntimeException ex) {
			return unwrap(ex);
		}
	}

	private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
