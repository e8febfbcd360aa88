// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.platform;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Real time, on one thread.
 */
final class SystemTimer implements Timer {

	private static final long AFTER_END_MILLIS = 100;

	private final ScheduledThreadPoolExecutor executor;

	/**
	 * Create a timer whose thread is not started yet.
	 * @param idle after how long it ends when there is nothing to do
	 */
	SystemTimer(ThreadFactory factory, Duration idle) {
		this.executor = new ScheduledThreadPoolExecutor(1, factory, new ThreadPoolExecutor.DiscardPolicy());
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setKeepAliveTime(idle.toMillis(), TimeUnit.MILLISECONDS);
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public long nanoTime() {
		return Platform.system().nanoTime();
	}

	@Override
	public Runnable schedule(Runnable task, long delay) {
		AtomicReference<@Nullable Runnable> left = new AtomicReference<>(task);
		Runnable once = () -> {
			Runnable due = left.getAndSet(null);
			if (due != null) {
				due.run();
			}
		};
		ScheduledFuture<?> scheduled;
		try {
			scheduled = this.executor.schedule(once, delay, TimeUnit.NANOSECONDS);
		}
		catch (RuntimeException | Error ex) {
			// It stays in the queue if no thread could be started for it.
			left.set(null);
			throw ex;
		}
		return () -> scheduled.cancel(false);
	}

	@Override
	public Runnable repeat(Runnable task, long pause) {
		Runnable harmless = () -> {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				// What is thrown here would end the repetition.
			}
		};
		ScheduledFuture<?> repeated = this.executor.scheduleWithFixedDelay(harmless, pause, pause,
				TimeUnit.NANOSECONDS);
		return () -> repeated.cancel(false);
	}

	@Override
	public void start() {
		this.executor.allowCoreThreadTimeOut(false);
		this.executor.prestartCoreThread();
	}

	@Override
	public void endWhenIdle() {
		this.executor.setKeepAliveTime(AFTER_END_MILLIS, TimeUnit.MILLISECONDS);
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void end() {
		this.executor.shutdownNow();
	}

}
