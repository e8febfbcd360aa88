// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.async;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Executor on which asynchronous methods run when they have acquired their lock. It sets
 * the context class loader of the application and, with
 * {@code io.micrometer:context-propagation} on the class path, the thread-locals of the
 * caller.
 *
 * @since 0.1
 */
public final class AsyncExecutor {

	private static final UnaryOperator<Runnable> CONTEXT = ClassUtils
		.isPresent("io.micrometer.context.ContextSnapshotFactory", AsyncExecutor.class.getClassLoader())
				? new Propagation() : UnaryOperator.identity();

	private final Supplier<? extends Executor> executor;

	private final @Nullable ClassLoader classLoader;

	/**
	 * Create the executor.
	 * @param executor gives the executor; asked when it is needed
	 * @param classLoader the context class loader of what runs there; {@code null} for
	 * that of the thread
	 */
	public AsyncExecutor(Supplier<? extends Executor> executor, @Nullable ClassLoader classLoader) {
		this.executor = SingletonSupplier.of(executor);
		this.classLoader = classLoader;
	}

	/**
	 * Prepare a task on the thread whose context it is to have.
	 */
	public Runnable carry(Runnable task) {
		Runnable carried = CONTEXT.apply(task);
		return (this.classLoader != null) ? () -> runWith(this.classLoader, carried) : carried;
	}

	/**
	 * Run a task.
	 * @param rejected what to do in its place if the executor does not take it, or has no
	 * thread for it, on this thread
	 */
	public void run(Runnable carried, Consumer<RuntimeException> rejected) {
		AtomicBoolean begun = new AtomicBoolean();
		try {
			this.executor.get().execute(() -> {
				if (begun.compareAndSet(false, true)) {
					carried.run();
				}
			});
		}
		catch (RuntimeException | Error ex) {
			// A pool that has no thread for a task may keep it all the same.
			if (!begun.compareAndSet(false, true)) {
				throw ex;
			}
			rejected.accept((ex instanceof RuntimeException rejection) ? rejection
					: new RejectedExecutionException("The executor has no thread for the task", ex));
		}
	}

	private static void runWith(ClassLoader classLoader, Runnable task) {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(classLoader);
		try {
			task.run();
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	/**
	 * Loaded only if the library is there.
	 */
	private static final class Propagation implements UnaryOperator<Runnable> {

		private final ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();

		@Override
		public Runnable apply(Runnable task) {
			return this.snapshots.captureAll().wrap(task);
		}

	}

}
