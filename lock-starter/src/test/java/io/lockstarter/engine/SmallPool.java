// SPDX-License-Identifier: Apache-2.0
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
