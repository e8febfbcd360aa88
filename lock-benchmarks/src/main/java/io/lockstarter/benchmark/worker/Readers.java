// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.scenario.Work;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A key that the main thread of the first JVM writes, and all other threads read. Either
 * all readers wait for the writer at once, and measure how long after the begin of its
 * release they go on; or they read over and over, and the writer measures how long it
 * waits.
 */
final class Readers implements Task {

	private static final String KEY = "bench-read";

	private static final Duration READ = Duration.ofMillis(1);

	// In which all readers come to wait, and in which all of them have read.
	private static final Duration TURN = Duration.ofMillis(400);

	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(1);

	private final Assignment assignment;

	private final LockAdapter adapter;

	private final SharedMemory memory;

	private final boolean endless;

	private final Semaphore turns = new Semaphore(0);

	private final Histogram times = new ConcurrentHistogram(3);

	Readers(Assignment assignment, LockAdapter adapter, SharedMemory memory) {
		this.assignment = assignment;
		this.adapter = adapter;
		this.memory = memory;
		this.endless = assignment.scenario().load().work() == Work.READING_WITHOUT_END;
	}

	@Override
	public void prepare() throws InterruptedException {
		String key = "bench-first-" + this.assignment.jvm();
		this.adapter.write(key).unlock();
		this.adapter.read(key).unlock();
	}

	@Override
	public void start(Schedule schedule) throws InterruptedException {
		for (int i = 0; i < this.assignment.scenario().load().threads(); i++) {
			this.assignment.threads().start(() -> readUntilTheEnd(schedule));
		}
		Schedule.sleepUntil(schedule.start());
		if (this.assignment.jvm() == 0) {
			write(schedule);
		}
		else {
			followTurns(schedule);
		}
	}

	@Override
	public void end(Result result) {
		result.put(Result.MEASURED, this.times.getTotalCount());
		result.put(this.times);
	}

	private void write(Schedule schedule) throws InterruptedException {
		for (long turn = 1; !schedule.isOver(); turn++) {
			long asked = System.nanoTime();
			Held held = this.adapter.write(KEY);
			if (this.endless) {
				// Also if it comes after the end, when nobody reads any more.
				if (schedule.measures(asked)) {
					this.times.recordValue(System.nanoTime() - asked);
				}
				held.unlock();
				sleep(PAUSE);
			}
			else {
				this.memory.holder(turn);
				letRead();
				sleep(TURN);
				this.memory.releasedAt(System.nanoTime());
				held.unlock();
				sleep(TURN);
			}
		}
	}

	private void followTurns(Schedule schedule) {
		for (long seen = 0; !schedule.isOver();) {
			long turn = this.memory.holder();
			if (turn != seen) {
				seen = turn;
				letRead();
			}
			Schedule.sleepUntil(System.nanoTime() + LOOK_AGAIN);
		}
	}

	private void letRead() {
		this.turns.release(this.assignment.scenario().load().threads());
	}

	private void readUntilTheEnd(Schedule schedule) {
		try {
			while (!schedule.isOver()) {
				if (this.endless) {
					Held held = this.adapter.read(KEY);
					sleep(READ);
					held.unlock();
				}
				else {
					this.turns.acquire();
					readOnce(schedule);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void readOnce(Schedule schedule) throws InterruptedException {
		long asked = System.nanoTime();
		Held held = this.adapter.read(KEY);
		long acquired = System.nanoTime();
		long released = this.memory.releasedAt();
		// Else the writer had released before this thread came to wait.
		if (asked - released < 0 && schedule.measures(acquired)) {
			this.times.recordValue(acquired - released);
		}
		held.unlock();
	}

	private static void sleep(Duration time) {
		Schedule.sleepUntil(System.nanoTime() + time.toNanos());
	}

}
