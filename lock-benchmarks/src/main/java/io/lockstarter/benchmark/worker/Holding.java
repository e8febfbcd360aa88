// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Schedule;

/**
 * One thread that holds many locks and leaves their renewal to the library.
 */
final class Holding implements Task {

	private final LockAdapter adapter;

	private final int locks;

	private final List<Held> held = new ArrayList<>();

	Holding(LockAdapter adapter, int locks) {
		this.adapter = adapter;
		this.locks = locks;
	}

	@Override
	public void prepare() throws InterruptedException {
		this.held.add(FirstLock.acquire(this.adapter, "bench-held-0"));
		for (int i = 1; i < this.locks; i++) {
			this.held.add(this.adapter.lock("bench-held-" + i));
		}
	}

	@Override
	public void start(Schedule schedule) {
		Schedule.sleepUntil(schedule.until());
	}

	@Override
	public void end(Result result) {
		result.put(Result.MEASURED, this.held.size());
	}

}
