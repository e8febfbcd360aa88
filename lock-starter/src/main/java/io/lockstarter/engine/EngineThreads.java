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

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * The threads of a running registry. Deadlines have one of their own, so that a stuck
 * renewal cannot delay the report of a loss. Listeners and what depends on futures run on
 * others, as what is not ours may block.
 * <p>
 * The threads are started before the first key is asked for, and kept until the registry
 * is stopped: a task that needs no new thread cannot fail for want of one.
 */
final class EngineThreads implements Timing.Threads {

	private static final long AFTER_STOP = 100;

	private static final int FREQUENT_EVENTS = 10_000;

	private final ScheduledThreadPoolExecutor deadlines;

	private final ScheduledThreadPoolExecutor watchdog;

	private final CallbackThreads callbacks;

	private EngineThreads(BiFunction<Runnable, String, Thread> factory, Ticker ticker) {
		this.deadlines = thread((task) -> factory.apply(task, "lock-starter-deadlines"));
		this.watchdog = thread((task) -> factory.apply(task, "lock-starter-watchdog"));
		this.callbacks = new CallbackThreads((task) -> factory.apply(task, "lock-starter-callbacks"), ticker,
				scheduler(this.deadlines));
	}

	/**
	 * Return the time of the system, and threads that are not started yet.
	 */
	static Timing timing() {
		return timing(EngineThreads::daemon);
	}

	/**
	 * Return the time of the system, and threads that are not started yet.
	 * @param factory makes a thread for a task, with a name
	 */
	static Timing timing(BiFunction<Runnable, String, Thread> factory) {
		Ticker ticker = Ticker.system();
		EngineThreads threads = new EngineThreads(factory, ticker);
		return new Timing(ticker, scheduler(threads.deadlines), scheduler(threads.watchdog), threads.callbacks,
				threads);
	}

	@Override
	public void start() {
		this.deadlines.prestartCoreThread();
		this.watchdog.prestartCoreThread();
		this.callbacks.start();
	}

	@Override
	public void end(boolean leasesLeft) {
		this.watchdog.shutdownNow();
		if (leasesLeft) {
			this.deadlines.setKeepAliveTime(AFTER_STOP, TimeUnit.MILLISECONDS);
			this.deadlines.allowCoreThreadTimeOut(true);
		}
		else {
			this.deadlines.shutdownNow();
		}
		this.callbacks.endWhenIdle(AFTER_STOP);
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

	private static Scheduler scheduler(ScheduledThreadPoolExecutor executor) {
		return (task, delay) -> {
			var future = executor.schedule(task, delay, TimeUnit.NANOSECONDS);
			return () -> future.cancel(false);
		};
	}

	private static ScheduledThreadPoolExecutor thread(ThreadFactory factory) {
		var executor = new ScheduledThreadPoolExecutor(1, factory, new ThreadPoolExecutor.DiscardPolicy());
		executor.setRemoveOnCancelPolicy(true);
		return executor;
	}

}
