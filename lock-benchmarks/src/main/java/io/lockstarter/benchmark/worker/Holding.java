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
