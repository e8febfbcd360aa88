// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

/**
 * The platform of the system, to be replaced in part.
 */
public class ForwardingPlatform implements Platform {

	private final Platform system;

	/**
	 * Create the platform of the system.
	 */
	public ForwardingPlatform() {
		this.system = Platform.system();
	}

	/**
	 * Create a platform with other threads.
	 * @param threads makes a thread for a task, with a name
	 */
	public ForwardingPlatform(BiFunction<Runnable, String, Thread> threads) {
		this.system = new SystemPlatform() {
			@Override
			Thread thread(Runnable task, String name) {
				return threads.apply(task, name);
			}
		};
	}

	@Override
	public long nanoTime() {
		return this.system.nanoTime();
	}

	@Override
	public Instant now() {
		return this.system.now();
	}

	@Override
	public RandomGenerator random() {
		return this.system.random();
	}

	@Override
	public RandomGenerator secureRandom() {
		return this.system.secureRandom();
	}

	@Override
	public Timer timer(String thread) {
		return this.system.timer(thread);
	}

	@Override
	public Workers workers(String thread, Timer timer) {
		return this.system.workers(thread, timer);
	}

	@Override
	public Executor queue(String thread, int capacity) {
		return this.system.queue(thread, capacity);
	}

	@Override
	public Timer logTimer() {
		return this.system.logTimer();
	}

	@Override
	public void execute(Runnable task) {
		this.system.execute(task);
	}

	@Override
	public boolean await(CompletableFuture<?> future, long nanos) throws InterruptedException {
		return this.system.await(future, nanos);
	}

}
