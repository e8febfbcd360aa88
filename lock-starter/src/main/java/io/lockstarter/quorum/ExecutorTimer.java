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
package io.lockstarter.quorum;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Real time, on one thread that ends when there has been nothing to do for a while.
 */
final class ExecutorTimer implements QuorumTimer {

	private static final long IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor executor;

	ExecutorTimer() {
		this(new ScheduledThreadPoolExecutor(1, ExecutorTimer::thread));
	}

	ExecutorTimer(ScheduledThreadPoolExecutor executor) {
		this.executor = executor;
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "lock-quorum");
		thread.setDaemon(true);
		return thread;
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Runnable schedule(Runnable task, long delayNanos) {
		AtomicReference<@Nullable Runnable> left = new AtomicReference<>(task);
		Runnable once = () -> {
			Runnable due = left.getAndSet(null);
			if (due != null) {
				due.run();
			}
		};
		ScheduledFuture<?> scheduled;
		try {
			scheduled = this.executor.schedule(once, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (RuntimeException | Error ex) {
			// It stays in the queue if no thread could be started for it.
			left.set(null);
			throw ex;
		}
		return () -> scheduled.cancel(false);
	}

}
