// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Schedule;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One thread that acquires and releases, over and over.
 */
final class CycleThread implements Runnable {

	private final LockAdapter adapter;

	private final String key;

	private final @Nullable Section section;

	private final Schedule schedule;

	private final @Nullable Histogram times;

	private final boolean timesRelease;

	// Written by this thread alone.
	private final AtomicLong measured = new AtomicLong();

	private @Nullable Throwable failure;

	/**
	 * Create what a thread runs.
	 * @param adapter the lock
	 * @param key what to lock
	 * @param section what it protects; {@code null} if nobody else uses the key
	 * @param schedule when to start and end
	 * @param times how long it took to acquire; {@code null} if nobody wants to know
	 * @param timesRelease whether it is to be known how long it took to release as well
	 */
	CycleThread(LockAdapter adapter, String key, @Nullable Section section, Schedule schedule,
			@Nullable Histogram times, boolean timesRelease) {
		this.adapter = adapter;
		this.key = key;
		this.section = section;
		this.schedule = schedule;
		this.times = times;
		this.timesRelease = timesRelease;
	}

	@Override
	public void run() {
		Schedule.sleepUntil(this.schedule.start());
		try {
			long asked = System.nanoTime();
			while (asked - this.schedule.until() < 0) {
				asked = cycle(asked);
			}
		}
		catch (Throwable ex) {
			this.failure = ex;
		}
	}

	private long cycle(long asked) throws InterruptedException {
		Held held = this.adapter.lock(this.key);
		long acquired = System.nanoTime();
		try {
			if (this.section != null) {
				this.section.run(held, acquired);
			}
		}
		finally {
			held.unlock();
		}
		long released = System.nanoTime();
		if (this.times != null && acquired - this.schedule.from() >= 0) {
			this.times.recordValue((this.timesRelease ? released : acquired) - asked);
		}
		if (this.schedule.measures(released)) {
			this.measured.lazySet(this.measured.get() + 1);
		}
		return released;
	}

	long measured() {
		return this.measured.get();
	}

	/**
	 * Add to the result, after the thread has ended.
	 * @throws IllegalStateException if the thread failed
	 */
	void report(Result result, Histogram allTimes) {
		if (this.failure != null) {
			throw new IllegalStateException("A thread failed", this.failure);
		}
		if (this.section != null) {
			this.section.report(result);
		}
		result.add(Result.MEASURED, measured());
		if (this.times != null) {
			allTimes.add(this.times);
		}
	}

}
