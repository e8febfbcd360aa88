// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Runs what others wrote: listeners, loss actions and what depends on a future. Usually
 * that is short, and one thread is enough for it. If a task waits for longer than a
 * moment, as those before it block, threads are added. They end when they are idle.
 */
final class CallbackThreads implements Workers {

	static final int MOST = 256;

	private static final long AFTER_END_MILLIS = 100;

	private static final long A_MOMENT = TimeUnit.MILLISECONDS.toNanos(10);

	private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

	private final ThreadPoolExecutor pool;

	private final Timer timer;

	private final AtomicBoolean watched = new AtomicBoolean();

	private boolean ending;

	/**
	 * Create threads, none of which is started yet.
	 * @param timer looks whether tasks wait
	 */
	CallbackThreads(ThreadFactory factory, Timer timer) {
		this.pool = new ThreadPoolExecutor(1, MOST, 10, TimeUnit.SECONDS, this.tasks, factory);
		this.timer = timer;
	}

	@Override
	public void start() {
		this.pool.prestartCoreThread();
	}

	/**
	 * Each task that comes later begins a thread, as nobody looks any more whether it
	 * waits.
	 */
	@Override
	public synchronized void endWhenIdle() {
		this.ending = true;
		this.pool.setKeepAliveTime(AFTER_END_MILLIS, TimeUnit.MILLISECONDS);
		this.pool.allowCoreThreadTimeOut(true);
		this.pool.setCorePoolSize(MOST);
	}

	@Override
	public void execute(Runnable task) {
		Task once = new Task(task, this.timer.nanoTime());
		try {
			this.pool.execute(once);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started. Whether the pool knows the task depends on where.
			this.tasks.add(once);
		}
		if (!this.tasks.isEmpty()) {
			watch();
		}
	}

	private void watch() {
		if (this.watched.compareAndSet(false, true)) {
			try {
				this.timer.schedule(this::look, A_MOMENT);
			}
			catch (RuntimeException | Error ex) {
				// The next task that waits tries again.
				this.watched.set(false);
			}
		}
	}

	private synchronized void look() {
		this.watched.set(false);
		if (!(this.tasks.peek() instanceof Task first)) {
			if (!this.ending) {
				this.pool.setCorePoolSize(1);
			}
			return;
		}
		try {
			if (this.timer.nanoTime() - first.since >= A_MOMENT) {
				addThreads();
			}
		}
		catch (OutOfMemoryError ex) {
			// tried again at the next look
		}
		finally {
			watch();
		}
	}

	/**
	 * Have twice as many threads, if there are tasks for them.
	 */
	private void addThreads() {
		int size = this.pool.getCorePoolSize();
		if (this.pool.getPoolSize() < size) {
			this.pool.prestartCoreThread();
		}
		else if (size < MOST) {
			this.pool.setCorePoolSize(Math.min(2 * size, MOST));
		}
	}

	/**
	 * A task that runs once, however often it is run.
	 */
	private static final class Task extends AtomicReference<@Nullable Runnable> implements Runnable {

		private static final long serialVersionUID = 1L;

		private final long since;

		Task(Runnable task, long since) {
			super(task);
			this.since = since;
		}

		@Override
		public void run() {
			Runnable task = getAndSet(null);
			if (task != null) {
				task.run();
			}
		}

	}

}
