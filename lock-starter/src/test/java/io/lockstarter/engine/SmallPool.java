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
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * A pool of one thread that refuses to make up for a blocked one.
 */
final class SmallPool implements AutoCloseable {

	private volatile @Nullable Thread worker;

	private final ForkJoinPool pool = new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false,
			0, 1, 1, null, 1, TimeUnit.MINUTES);

	<T> Future<T> submit(Callable<T> call) {
		return this.pool.submit(() -> {
			this.worker = Thread.currentThread();
			return call.call();
		});
	}

	/**
	 * Return when the thread waits.
	 */
	void awaitBlocked() {
		await().atMost(Duration.ofSeconds(10)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
			Thread thread = this.worker;
			return thread != null
					&& (thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
		});
	}

	@Override
	public void close() {
		this.pool.shutdownNow();
	}

}
