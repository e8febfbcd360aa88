package io.lockstarter.interceptor;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * What the calls have in common that go on after the method returned: leases that belong
 * to the call, not to a thread, and no thread that waits.
 */
final class LaterLocks {

	private static final Logger logger = System.getLogger(LaterLocks.class.getName());

	private final Supplier<? extends LockRegistry> registry;

	private final LockFailures failures;

	private final LaterThreads threads;

	LaterLocks(Supplier<? extends LockRegistry> registry, LockFailures failures, LaterThreads threads) {
		this.registry = registry;
		this.failures = failures;
		this.threads = threads;
	}

	/**
	 * Return where methods run when they have their locks.
	 */
	LaterThreads threads() {
		return this.threads;
	}

	/**
	 * Acquire the leases of a call.
	 * @return the future leases; whoever completes it gives up the attempt
	 */
	CompletableFuture<List<Lease>> acquire(LockSpec spec, LockCall call) {
		try {
			return this.registry.get().acquireAllAsync(spec.keys().of(call.target(), call.arguments()), spec.options());
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Release leases. What they protected is done.
	 * @return completes, always normally, when whoever releases need not wait any longer
	 */
	static CompletableFuture<Void> release(List<Lease> leases) {
		return (leases.size() == 1) ? leases.get(0).closeAsync()
				: CompletableFuture.allOf(leases.stream().map(Lease::closeAsync).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Return the result of a call whose lock was not acquired.
	 * @param failure why not
	 * @return the result, or what will have it
	 * @throws Throwable what the caller is to see
	 */
	@Nullable Object refused(LockSpec spec, LockCall call, Throwable failure) throws Throwable {
		if (failure instanceof LockNotAcquiredException busy) {
			return spec.whenBusy().handle(call, busy, this.failures);
		}
		if (failure instanceof LockStoreException && spec.onUnavailable() == OnUnavailable.PROCEED) {
			logger.log(Level.WARNING, "%s runs WITHOUT ITS LOCK, as onUnavailable = PROCEED asks for: %s"
				.formatted(spec.subject(), failure.getMessage()));
			return call.run();
		}
		if (failure instanceof LockStoreException || failure instanceof LockLostException) {
			return this.failures.handle(call, (LockException) failure);
		}
		throw failure;
	}

	/**
	 * Return the result of a call that lost its lock, if that matters to the caller.
	 */
	@Nullable Object lost(LockCall call, LockLostException lost) throws Throwable {
		return this.failures.handle(call, lost);
	}

	/**
	 * Return whether a loss is what the caller is told of, rather than the failure of the
	 * method. The one that is not told is suppressed by the other.
	 * @param failure what the method failed with, if it did
	 */
	static boolean prevails(LockLostException lost, @Nullable Throwable failure, OnLost onLost) {
		if (onLost == OnLost.REPORT) {
			return false;
		}
		Throwable cause = (failure != null) ? cause(failure) : null;
		if (cause == null || cause == lost) {
			return true;
		}
		boolean prevails = onLost == OnLost.INTERRUPT;
		if (prevails) {
			lost.addSuppressed(cause);
		}
		else {
			cause.addSuppressed(lost);
		}
		return prevails;
	}

	/**
	 * Return the loss of a lease, if there was one. Also to be asked when the leases are
	 * released.
	 */
	static @Nullable LockLostException lossOf(LockScope scope) {
		for (Lease lease : scope.leases()) {
			try {
				lease.checkValid();
			}
			catch (LockLostException ex) {
				return ex;
			}
			catch (IllegalStateException ex) {
				// released
			}
		}
		return null;
	}

	static Throwable cause(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	/**
	 * There is no thread for a call to go on: what it acquired is released.
	 * @return what the caller is to see
	 */
	static Throwable withoutThread(@Nullable List<Lease> leases, @Nullable Throwable failure,
			RuntimeException rejection) {
		if (leases != null) {
			releaseAndForget(leases);
		}
		if (failure == null) {
			return rejection;
		}
		Throwable cause = cause(failure);
		cause.addSuppressed(rejection);
		return cause;
	}

	static void releaseAndForget(List<Lease> leases) {
		var unused = release(leases);
	}

	/**
	 * Run a task elsewhere when a lease is lost: not on the thread of the listeners, who
	 * are to hear of the next loss in time.
	 */
	void onLost(Lease lease, Runnable task) {
		Runnable carried = this.threads.carry(task);
		lease.onLost((cause) -> this.threads.run(carried, (rejection) -> {
			var unused = CompletableFuture.runAsync(carried);
		}));
	}

	static <T extends @Nullable Object> void on(CompletionStage<T> stage,
			BiConsumer<@Nullable T, @Nullable Throwable> action) {
		var unused = stage.whenComplete(action);
	}

	/**
	 * What stands in for the result of the method.
	 */
	@FunctionalInterface
	interface Substitute {

		@Nullable Object get() throws Throwable;

	}

}
