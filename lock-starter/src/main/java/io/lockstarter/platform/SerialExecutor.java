// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Executes tasks one at a time, in the order in which they come, on the threads of
 * another executor, whose own order does not matter: a pool whose only thread ends may
 * begin the next one with a task that came later. Thread-safe.
 */
public final class SerialExecutor implements Executor {

	private final Executor executor;

	private final Queue<Runnable> tasks;

	private final AtomicBoolean running = new AtomicBoolean();

	/**
	 * Create an executor.
	 * @param executor has the threads
	 * @param capacity how many tasks may wait
	 */
	public SerialExecutor(Executor executor, int capacity) {
		this.executor = executor;
		this.tasks = new LinkedBlockingQueue<>(capacity);
	}

	/**
	 * Execute a task after all that came before. What it throws is up to the other
	 * executor, and those that wait go on. If the other executor fails, what waits is
	 * executed along with the next task.
	 * @throws RejectedExecutionException if too many tasks wait
	 */
	@Override
	public void execute(Runnable task) {
		if (!this.tasks.offer(task)) {
			throw new RejectedExecutionException("Too many tasks wait");
		}
		begin();
	}

	private void begin() {
		if (!this.tasks.isEmpty() && this.running.compareAndSet(false, true)) {
			Run run = null;
			try {
				run = new Run();
				this.executor.execute(run);
			}
			catch (RuntimeException | Error ex) {
				// It may have begun all the same. If not, it is not to begin later.
				if (run == null || run.begun.compareAndSet(false, true)) {
					this.running.set(false);
				}
				throw ex;
			}
		}
	}

	private final class Run implements Runnable {

		private final AtomicBoolean begun = new AtomicBoolean();

		@Override
		public void run() {
			if (!this.begun.compareAndSet(false, true)) {
				return;
			}
			SerialExecutor all = SerialExecutor.this;
			try {
				for (Runnable next = all.tasks.poll(); next != null; next = all.tasks.poll()) {
					next.run();
				}
			}
			finally {
				all.running.set(false);
				begin();
			}
		}

	}

}
