/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

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
