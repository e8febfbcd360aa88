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

/**
 * Real time.
 */
final class ExecutorTimer implements QuorumTimer, AutoCloseable {

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);

	ExecutorTimer() {
		this.executor.setRemoveOnCancelPolicy(true);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Runnable schedule(Runnable task, long delayNanos) {
		ScheduledFuture<?> scheduled = this.executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		return () -> scheduled.cancel(false);
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
