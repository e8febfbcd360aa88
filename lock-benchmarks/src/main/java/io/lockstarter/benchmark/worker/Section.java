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
