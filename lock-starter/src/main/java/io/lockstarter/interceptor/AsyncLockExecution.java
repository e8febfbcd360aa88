// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockScope;
import io.lockstarter.interceptor.async.AsyncExecutor;
import io.lockstarter.interceptor.async.Leases;
import io.lockstarter.interceptor.async.Proceeding;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * Base class for the {@link LockExecution} of asynchronous methods. The leases belong to
 * the call, not to a thread, and no thread waits for them.
 */
abstract class AsyncLockExecution implements LockExecution {

	private final Support support;

	AsyncLockExecution(Support support) {
		this.support = support;
	}

	/**
	 * Return what proceeds any number of times, each time from where the invocation
	 * stands now, and on any thread.
	 */
	@Override
	public Proceeding method(MethodInvocation invocation) {
		ProxyMethodInvocation here = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		// What follows may be an aspect that looks the invocation up by its thread.
		return (parameters) -> ExposeInvocationInterceptor.INSTANCE.invoke(here.invocableClone(parameters.clone()));
	}

	LockedSection section(LockScope scope, Function<Object, @Nullable Object> context) {
		return new LockedSection(scope, failures(), this.support.sections.get(), context);
	}

	LockFailures failures() {
		return this.support.failures;
	}

	/**
	 * Acquire the leases of a call.
	 * @param grant gets them; whoever completes it before gives up the attempt
	 * @param onExecutor whether it gets them on a thread of the executor
	 */
	void acquire(LockSpec spec, LockCall call, CompletableFuture<List<Lease>> grant, boolean onExecutor) {
		CompletableFuture<List<Lease>> attempt = attempt(spec, call);
		BiConsumer<@Nullable List<Lease>, @Nullable Throwable> settle = (leases, failure) -> Leases.settle(grant,
				leases, failure);
		on(grant, (leases, failure) -> {
			// What was acquired is not to wait for a thread that nobody needs any more.
			if (!attempt.cancel(false) && failure != null) {
				on(attempt, settle);
			}
		});
		Runnable carried = onExecutor ? carry(grant, () -> {
			if (!grant.isDone()) {
				on(attempt, settle);
			}
		}) : null;
		on(attempt, (leases, failure) -> {
			if (carried == null || grant.isDone()) {
				settle.accept(leases, failure);
			}
			else {
				this.support.executor.run(carried, (rejection) -> grant
					.completeExceptionally(new NoThreadException((failure != null) ? failure : rejection, rejection)));
			}
		});
	}

	/**
	 * Capture the context of the caller. If that fails, the attempt is given up.
	 */
	private Runnable carry(CompletableFuture<List<Lease>> grant, Runnable task) {
		try {
			return this.support.executor.carry(task);
		}
		catch (RuntimeException | Error ex) {
			grant.completeExceptionally(ex);
			throw ex;
		}
	}

	private static CompletableFuture<List<Lease>> attempt(LockSpec spec, LockCall call) {
		try {
			return spec.source().acquireAsync(call);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
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
	 * @param transactions whether there are any on the class path
	 */
	record Support(LockFailures failures, AsyncExecutor executor, Supplier<SectionObserver> sections,
			boolean transactions) {
	}

	/**
	 * What stands in for the result of the method.
	 */
	@FunctionalInterface
	interface Substitute {

		@Nullable Object get() throws Throwable;

	}

}
