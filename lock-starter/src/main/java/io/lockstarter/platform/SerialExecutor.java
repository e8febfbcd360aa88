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
	 * executor, and those that wait go on. If the other executor fails, the task is
	 * executed along with the next one.
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
			try {
				this.executor.execute(this::runAll);
			}
			catch (RuntimeException | Error ex) {
				this.running.set(false);
				throw ex;
			}
		}
	}

	private void runAll() {
		try {
			for (Runnable next = this.tasks.poll(); next != null; next = this.tasks.poll()) {
				next.run();
			}
		}
		finally {
			this.running.set(false);
			begin();
		}
	}

}
