// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Schedule;
import org.HdrHistogram.Histogram;

/**
 * Two JVMs that pass a lock to and fro. Who has it keeps it for a few milliseconds, in
 * which the other one comes to wait for it, and then measures how long after the begin of
 * the release it goes on.
 */
final class PingPong implements Task {

	private static final String KEY = "bench-ball";

	// Of random length, so that nobody's poll falls into step.
	private static final long HOLD_MIN = TimeUnit.MILLISECONDS.toNanos(3);

	private static final int HOLD_SPREAD = (int) TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LOOK_AGAIN = TimeUnit.MICROSECONDS.toNanos(50);

	private final int me;

	private final LockAdapter adapter;

	private final SharedMemory memory;

	private final Section section;

	private final Random random;

	private final Histogram times = Result.histogram();

	PingPong(int jvm, LockAdapter adapter, SharedMemory memory) {
		this.me = jvm + 1;
		this.adapter = adapter;
		this.memory = memory;
		this.section = new Section(memory, Duration.ZERO);
		this.random = new Random(jvm);
	}

	@Override
	public void prepare() throws InterruptedException {
		FirstLock.rehearse(this.adapter, "bench-first-" + this.me);
	}

	@Override
	public void start(Schedule schedule) throws InterruptedException {
		Schedule.sleepUntil(schedule.start());
		if (this.me == 1) {
			hold(this.adapter.lock(KEY));
		}
		while (awaitOther(schedule)) {
			long asked = System.nanoTime();
			Held held = this.adapter.lock(KEY);
			long acquired = System.nanoTime();
			long released = this.memory.releasedAt();
			// Else the other one had released before this one came to wait.
			if (asked - released < 0 && schedule.measures(acquired)) {
				this.times.recordValue(acquired - released);
			}
			hold(held);
		}
	}

	@Override
	public void end(Result result) {
		this.section.report(result);
		result.put(Result.MEASURED, this.times.getTotalCount());
		result.put(this.times);
	}

	private void hold(Held held) {
		this.section.enter(held);
		this.memory.holder(this.me);
		Schedule.sleepUntil(System.nanoTime() + HOLD_MIN + this.random.nextInt(HOLD_SPREAD));
		this.section.leave();
		this.memory.releasedAt(System.nanoTime());
		held.unlock();
	}

	private boolean awaitOther(Schedule schedule) {
		while (this.memory.holder() == this.me || this.memory.holder() == 0) {
			if (schedule.isOver()) {
				return false;
			}
			LockSupport.parkNanos(LOOK_AGAIN);
		}
		return !schedule.isOver();
	}

}
