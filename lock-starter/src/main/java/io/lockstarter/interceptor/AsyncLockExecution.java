// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.interceptor.async.AsyncExecutor;
import io.lockstarter.interceptor.async.Leases;
import org.jspecify.annotations.Nullable;

/**
 * Base class for the {@link LockExecution} of asynchronous methods. The leases belong to
 * the call, not to a thread, and no thread waits for them.
 */
abstract class AsyncLockExecution implements LockExecution {

	private final Support support;

	AsyncLockExecution(Support support) {
		this.support = support;
	}

	SectionObserver sections() {
		return this.support.sections.get();
	}

	LockFailures failures() {
		return this.support.failures;
	}

	/**
	 * Acquire the leases of a call.
	 * @return the future leases; whoever completes it gives up the attempt
	 */
	CompletableFuture<List<Lease>> acquire(LockSpec spec, LockCall call) {
		try {
			return spec.source().acquireAsync(call);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Proceed on the executor when the leases are acquired, or are not.
	 * @param here asked then whether to proceed on the present thread instead
	 * @param rejected what to do with the failure if the executor takes no task; leases
	 * are released
	 */
	void proceed(CompletableFuture<List<Lease>> acquiring, BooleanSupplier here,
			BiConsumer<@Nullable List<Lease>, @Nullable Throwable> action, Consumer<Throwable> rejected) {
		Runnable carried = this.support.executor.carry(() -> on(acquiring, action));
		on(acquiring, (leases, failure) -> {
			if (here.getAsBoolean()) {
				action.accept(leases, failure);
			}
			else {
				this.support.executor.run(carried,
						(rejection) -> rejected.accept(withoutThread(leases, failure, rejection)));
			}
		});
	}

	private static Throwable withoutThread(@Nullable List<Lease> leases, @Nullable Throwable failure,
			RuntimeException rejection) {
		if (leases != null) {
			Leases.releaseAndForget(leases);
		}
		if (failure == null) {
			return rejection;
		}
		Throwable cause = LockFailures.cause(failure);
		cause.addSuppressed(rejection);
		return cause;
	}

	/**
	 * Run a task on the executor when a lease is lost, rather than on the thread of the
	 * listeners, who are to hear of the next loss in time.
	 */
	void onLost(Lease lease, Runnable task) {
		Runnable carried = this.support.executor.carry(task);
		lease.onLost((cause) -> this.support.executor.run(carried, (rejection) -> carried.run()));
	}

	static <T extends @Nullable Object> void on(CompletionStage<T> stage,
			BiConsumer<@Nullable T, @Nullable Throwable> action) {
		var unused = stage.whenComplete(action);
	}

	/**
	 * What all asynchronous executions need.
	 *
	 * @param executor runs a method when it has its lock
	 * @param sections gives the observer of what runs under the lock
	 */
	record Support(LockFailures failures, AsyncExecutor executor, Supplier<SectionObserver> sections) {
	}

	/**
	 * What stands in for the result of the method.
	 */
	@FunctionalInterface
	interface Substitute {

		@Nullable Object get() throws Throwable;

	}

}
