// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * One thread, and time that passes when a test says so: what is due runs on the thread of
 * the test, by its time and then in the order in which it was scheduled. All that follows
 * is determined by the seed. No thread is started.
 */
public final class SimulatedPlatform implements Platform, Timer {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private final PriorityQueue<Task> tasks = new PriorityQueue<>();

	private final RandomGenerator random;

	private long now;

	private long scheduled;

	/**
	 * Create a platform.
	 */
	public SimulatedPlatform(long seed) {
		this.random = new SplittableRandom(seed);
	}

	/**
	 * Run what is due now, and what follows from it without a delay.
	 */
	public void run() {
		pass(Duration.ZERO);
	}

	/**
	 * Let time pass, and run what is due meanwhile.
	 */
	public void pass(Duration time) {
		long end = this.now + time.toNanos();
		while (runNext(end)) {
			// on to the next
		}
		this.now = end;
	}

	private boolean runNext(long end) {
		Task next = this.tasks.peek();
		if (next == null || next.due > end) {
			return false;
		}
		this.tasks.remove();
		this.now = Math.max(this.now, next.due);
		next.action.run();
		return true;
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public Instant now() {
		return START.plusNanos(this.now);
	}

	@Override
	public RandomGenerator random() {
		return this.random;
	}

	@Override
	public RandomGenerator secureRandom() {
		return this.random;
	}

	@Override
	public Runnable repeat(Runnable task, long pause) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Runnable schedule(Runnable task, long delay) {
		Task added = new Task(task, this.now + Math.max(0, delay), this.scheduled++);
		this.tasks.add(added);
		return () -> this.tasks.remove(added);
	}

	@Override
	public Timer timer(String thread) {
		return this;
	}

	@Override
	public Workers workers(String thread, Timer timer) {
		return this::execute;
	}

	@Override
	public Executor queue(String thread, int capacity) {
		return this::execute;
	}

	@Override
	public Timer logTimer() {
		return this;
	}

	@Override
	public void execute(Runnable task) {
		schedule(task, 0);
	}

	@Override
	public boolean await(CompletableFuture<?> future, long nanos) {
		long end = Ticker.plus(this.now, Math.max(0, nanos));
		while (!future.isDone() && runNext(end)) {
			// on to the next
		}
		if (!future.isDone()) {
			this.now = end;
		}
		return future.isDone();
	}

	private record Task(Runnable action, long due, long number) implements Comparable<Task> {

		@Override
		public int compareTo(Task other) {
			int byTime = Long.compare(this.due, other.due);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return Long.hashCode(this.number);
		}

	}

}
