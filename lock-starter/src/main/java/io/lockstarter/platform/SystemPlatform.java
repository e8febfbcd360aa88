// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.platform;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * Real time, and daemon threads.
 */
class SystemPlatform implements Platform {

	static final SystemPlatform INSTANCE = new SystemPlatform();

	private static final long ORIGIN = System.nanoTime();

	private static final Duration IDLE = Duration.ofSeconds(10);

	private static final RandomGenerator KERNEL = new KernelRandom(Path.of("/dev/urandom"));

	/**
	 * The thread that writes summaries. It starts with the first.
	 */
	private static final Timer LOG = new SystemTimer(new Threads(INSTANCE, "lock-starter-log"), Duration.ofSeconds(1));

	/**
	 * Make a thread for a task.
	 */
	Thread thread(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	@Override
	public long nanoTime() {
		return System.nanoTime() - ORIGIN;
	}

	@Override
	public Instant now() {
		return Instant.now();
	}

	@Override
	public RandomGenerator random() {
		return ThreadLocalRandom.current();
	}

	@Override
	public RandomGenerator secureRandom() {
		return KERNEL;
	}

	@Override
	public Timer timer(String thread) {
		return new SystemTimer(new Threads(this, thread), IDLE);
	}

	@Override
	public Workers workers(String thread, Timer timer) {
		return new CallbackThreads(new Threads(this, thread), timer);
	}

	@Override
	public Executor queue(String thread, int capacity) {
		var executor = new ThreadPoolExecutor(1, 1, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				new Threads(this, thread));
		executor.allowCoreThreadTimeOut(true);
		return new SerialExecutor(executor, capacity);
	}

	@Override
	public Timer logTimer() {
		return LOG;
	}

	@Override
	public void execute(Runnable task) {
		ForkJoinPool.commonPool().execute(task);
	}

	@Override
	public boolean await(CompletableFuture<?> future, long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		try {
			future.get(nanos, TimeUnit.NANOSECONDS);
			return true;
		}
		catch (ExecutionException | CancellationException ex) {
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	/**
	 * Threads of one name.
	 */
	private record Threads(SystemPlatform platform, String name) implements ThreadFactory {

		@Override
		public Thread newThread(Runnable task) {
			return this.platform.thread(task, this.name);
		}

	}

}
