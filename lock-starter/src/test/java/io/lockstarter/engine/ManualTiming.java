// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;

/**
 * Time that passes when the test says so. Scheduled tasks run on the ticking thread in
 * the order of their due times; events and asynchronous completions run at once.
 */
final class ManualTiming extends ForwardingPlatform {

	/**
	 * More than any test needs in one tick. Without an end to it, an engine that goes
	 * round in circles would hang the test instead of failing it.
	 */
	private static final int MOST_TASKS = 10_000;

	private final AtomicLong now = new AtomicLong();

	private final List<Task> tasks = new ArrayList<>();

	private long sequence;

	private boolean watchdogStuck;

	private volatile boolean failsToSchedule;

	private volatile boolean failsToCall;

	private volatile long step;

	private final AtomicLong failsAtLook = new AtomicLong();

	Timing timing() {
		return Timing.of(this);
	}

	@Override
	public long nanoTime() {
		failIf(this.failsAtLook.getAndDecrement() == 1);
		return this.now.getAndAdd(this.step);
	}

	@Override
	public Timer timer(String thread) {
		boolean watchdog = thread.equals("lock-starter-watchdog");
		return new Timer() {

			@Override
			public long nanoTime() {
				return ManualTiming.this.nanoTime();
			}

			@Override
			public Runnable repeat(Runnable task, long pause) {
				throw new UnsupportedOperationException();
			}

			@Override
			public Runnable schedule(Runnable task, long delay) {
				return add(task, delay, watchdog);
			}

		};
	}

	@Override
	public Workers workers(String thread, Timer timer) {
		return this::call;
	}

	/**
	 * Return a platform by the same clock whose tasks, such as the signals of a store,
	 * run in the next tick.
	 */
	Platform tasksInTicks() {
		return new ForwardingPlatform() {

			@Override
			public long nanoTime() {
				return ManualTiming.this.nanoTime();
			}

			@Override
			public void execute(Runnable task) {
				var unused = add(task, 0, false);
			}

		};
	}

	/**
	 * Let time pass without running anything: what a paused process sees.
	 */
	void pause(Duration duration) {
		this.now.addAndGet(duration.toNanos());
	}

	/**
	 * Let time pass by one nanosecond whenever somebody looks at the clock.
	 */
	void stepAtEveryLook(boolean steps) {
		this.step = steps ? 1 : 0;
	}

	/**
	 * Fail when somebody looks at the clock for the given time from now on, once.
	 */
	void failAtLook(int look) {
		this.failsAtLook.set(look);
	}

	/**
	 * Keep the watchdog from running, as a blocked thread would.
	 */
	void stickWatchdog() {
		this.watchdogStuck = true;
	}

	/**
	 * Fail to schedule anything, as if there were no thread or no memory for it.
	 */
	void failToSchedule(boolean fails) {
		this.failsToSchedule = fails;
	}

	/**
	 * Fail to call listeners and loss actions, and to complete futures.
	 */
	void failToCall(boolean fails) {
		this.failsToCall = fails;
	}

	void tick(Duration duration) {
		long until = this.now.get() + duration.toNanos();
		int count = 0;
		for (Task task = next(until); task != null; task = next(until)) {
			if (++count > MOST_TASKS) {
				throw new AssertionError("tasks without end: one schedules the next for the same instant");
			}
			this.now.set(Math.max(this.now.get(), task.due));
			task.action.run();
		}
		this.now.set(until);
	}

	synchronized int scheduled() {
		return this.tasks.size();
	}

	private void call(Runnable callback) {
		failIf(this.failsToCall);
		callback.run();
	}

	private static void failIf(boolean fails) {
		if (fails) {
			// not one that ends the run of the tests
			throw new Error("planted");
		}
	}

	private synchronized Runnable add(Runnable action, long delay, boolean watchdog) {
		failIf(this.failsToSchedule);
		Task task = new Task(action, this.now.get() + Math.max(0, delay), this.sequence++, watchdog);
		this.tasks.add(task);
		return () -> remove(task);
	}

	private synchronized void remove(Task task) {
		this.tasks.remove(task);
	}

	private synchronized Task next(long until) {
		Task next = this.tasks.stream()
			.filter((task) -> task.due <= until && !(task.watchdog && this.watchdogStuck))
			.min(Comparator.comparingLong((Task task) -> task.due).thenComparingLong((task) -> task.order))
			.orElse(null);
		this.tasks.remove(next);
		return next;
	}

	private record Task(Runnable action, long due, long order, boolean watchdog) {

	}

}
