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

import java.time.Duration;

import io.lockstarter.benchmark.contender.LockAdapter.Held;

/**
 * The section that a lock protects: it counts in shared memory without any atomic
 * operation, from its first step to its last, so that an overlap with another one is a
 * lost update. Not thread-safe, one for each thread.
 */
final class Section {

	private final SharedMemory memory;

	private final long nanos;

	private long entered;

	private long count;

	private long tokenBreaches;

	Section(SharedMemory memory, Duration duration) {
		this.memory = memory;
		this.nanos = duration.toNanos();
	}

	void run(Held held, long now) {
		enter(held);
		while (System.nanoTime() - now < this.nanos) {
			Thread.onSpinWait();
		}
		leave();
	}

	void enter(Held held) {
		this.entered = this.memory.counter();
		long token = held.fencingToken();
		if (token != 0 && !this.memory.grows(token)) {
			this.tokenBreaches++;
		}
	}

	void leave() {
		this.memory.counter(this.entered + 1);
		this.count++;
	}

	void report(Result result) {
		result.add(Result.SECTIONS, this.count);
		result.add(Result.TOKEN_BREACHES, this.tokenBreaches);
	}

}
