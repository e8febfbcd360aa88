// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Schedule;
import org.HdrHistogram.Histogram;

/**
 * Two JVMs, of which one acquires a key that was not used before and releases it, and the
 * other one measures how long it takes to acquire it next.
 */
final class Recalls implements Task {

	private static final long LOOK_AGAIN = TimeUnit.MICROSECONDS.toNanos(50);

	// In which whatever the release sends has arrived.
	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

	private final boolean first;

	private final LockAdapter adapter;

	private final SharedMemory memory;

	private final Histogram times = Result.histogram();

	Recalls(int jvm, LockAdapter adapter, SharedMemory memory) {
		this.first = jvm == 0;
		this.adapter = adapter;
		this.memory = memory;
	}

	@Override
	public void prepare() throws InterruptedException {
		FirstLock.rehearse(this.adapter, "bench-first-" + this.first);
	}

	@Override
	public void start(Schedule schedule) throws InterruptedException {
		Schedule.sleepUntil(schedule.start());
		// Odd turns are those of the first JVM.
		for (long turn = this.first ? 1 : 2; awaitTurn(turn, schedule); turn += 2) {
			if (this.first) {
				// It is retained from its second use on.
				this.adapter.lock(key(turn)).unlock();
				this.adapter.lock(key(turn)).unlock();
			}
			else {
				Schedule.sleepUntil(System.nanoTime() + PAUSE);
				acquire(key(turn - 1), schedule);
			}
			this.memory.holder(turn);
		}
	}

	private void acquire(String key, Schedule schedule) throws InterruptedException {
		long asked = System.nanoTime();
		Held held = this.adapter.lock(key);
		long acquired = System.nanoTime();
		if (schedule.measures(acquired)) {
			this.times.recordValue(acquired - asked);
		}
		held.unlock();
	}

	private boolean awaitTurn(long turn, Schedule schedule) {
		while (this.memory.holder() < turn - 1) {
			if (schedule.isOver()) {
				return false;
			}
			LockSupport.parkNanos(LOOK_AGAIN);
		}
		return !schedule.isOver();
	}

	private static String key(long turn) {
		return "bench-turn-" + turn;
	}

	@Override
	public void end(Result result) {
		result.put(Result.MEASURED, this.times.getTotalCount());
		result.put(this.times);
	}

}
