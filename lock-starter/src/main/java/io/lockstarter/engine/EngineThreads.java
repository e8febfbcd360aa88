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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The three threads of a running registry. Deadlines have one of their own, so that
 * neither a stuck renewal nor a slow listener can delay the report of a loss.
 */
final class EngineThreads {

	private static final long AFTER_STOP = 100;

	private static final int FREQUENT_EVENTS = 10_000;

	private EngineThreads() {
	}

	/**
	 * Start anew. Asynchronous acquirers are completed in the common pool itself: with
	 * two processors the default executor of {@code CompletableFuture} would start a
	 * thread for each of them. Each thread begins with its first task and ends when it is
	 * idle.
	 */
	static Timing start() {
		ScheduledThreadPoolExecutor deadlines = thread("lock-starter-deadlines");
		ScheduledThreadPoolExecutor watchdog = thread("lock-starter-watchdog");
		ScheduledThreadPoolExecutor events = thread("lock-starter-events");
		return new Timing(Ticker.system(), scheduler(deadlines), scheduler(watchdog), events, async(), (leasesLeft) -> {
			watchdog.shutdownNow();
			if (leasesLeft) {
				deadlines.setKeepAliveTime(AFTER_STOP, TimeUnit.MILLISECONDS);
				events.setKeepAliveTime(AFTER_STOP, TimeUnit.MILLISECONDS);
			}
			else {
				deadlines.shutdownNow();
				events.shutdown();
			}
		});
	}

	/**
	 * Return the thread for frequent events, and their queue. It ends when it is idle.
	 */
	static Executor listeners() {
		var executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(FREQUENT_EVENTS),
				(task) -> daemon(task, "lock-starter-listeners"));
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	private static Thread daemon(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	private static Executor async() {
		if (ForkJoinPool.getCommonPoolParallelism() == 0) {
			return new CompletableFuture<Void>().defaultExecutor();
		}
		// Wrapped, as a CompletableFuture that is given a small common pool takes its
		// default executor instead.
		ForkJoinPool pool = ForkJoinPool.commonPool();
		return (task) -> pool.execute(task);
	}

	private static Scheduler scheduler(ScheduledThreadPoolExecutor executor) {
		return (task, delay) -> {
			var future = executor.schedule(task, delay, TimeUnit.NANOSECONDS);
			return () -> future.cancel(false);
		};
	}

	private static ScheduledThreadPoolExecutor thread(String name) {
		var executor = new ScheduledThreadPoolExecutor(1, (task) -> daemon(task, name),
				new ThreadPoolExecutor.DiscardPolicy());
		executor.setRemoveOnCancelPolicy(true);
		executor.setKeepAliveTime(10, TimeUnit.SECONDS);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
