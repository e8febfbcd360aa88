// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lockstarter.LockException;
import io.lockstarter.LockStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Acts on the completion of a future, and logs what the action throws, which a future
 * would swallow.
 */
final class Completions {

	private static final Log logger = LogFactory.getLog(Completions.class);

	private Completions() {
	}

	static <T extends @Nullable Object> void on(CompletableFuture<T> future,
			BiConsumer<@Nullable T, @Nullable Throwable> action) {
		var unused = future.whenComplete((value, failure) -> {
			try {
				action.accept(value, failure);
			}
			catch (RuntimeException | Error ex) {
				logger.error("The completion of a lock command could not be handled", ex);
				throw ex;
			}
		});
	}

	/**
	 * Let the future have what is refused at once, too: who chains actions looks nowhere
	 * else.
	 */
	static <T> CompletableFuture<T> startAsync(Supplier<CompletableFuture<T>> start) {
		try {
			return start.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Wait for a future like {@link CompletableFuture#join}, also where the pool of the
	 * current thread does not add a thread for it.
	 */
	static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
		try {
			return future.join();
		}
		catch (RejectedExecutionException ex) {
			Interrupts.uninterruptibly(() -> {
				await(future);
				return future;
			});
			return future.join();
		}
	}

	/**
	 * Block until a future is completed, where the pool of the current thread refuses to
	 * add a thread for it.
	 */
	static void await(CompletableFuture<?> future) throws InterruptedException {
		CountDownLatch completed = new CountDownLatch(1);
		on(future, (result, failure) -> completed.countDown());
		completed.await();
	}

	/**
	 * Return a failure as it was thrown.
	 */
	static Throwable cause(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	/**
	 * Return a failure to throw from here: with the stack of whoever called.
	 */
	static RuntimeException withStackOfCaller(@Nullable Throwable failure) {
		if (failure instanceof LockStoreException ex) {
			return new LockStoreException(String.valueOf(ex.getMessage()), ex.isOutcomeUnknown(), ex.isTransient(),
					ex.isRefusal(), ex)
				.withKey(ex.key());
		}
		if (failure instanceof LockException ex) {
			return ex;
		}
		return new IllegalStateException((failure != null) ? failure.getMessage() : null, failure);
	}

}
