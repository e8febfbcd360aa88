// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.benchmark.contender.LockAdapter.Held;

/**
 * The section that a lock protects: it counts in shared memory without any atomic
 * operation, from its first step to its last, so that an overlap with another one is a
 * lost update, and so is a section that reads while the counter changes. Not thread-safe,
 * one for each thread.
 */
final class Section {

	// A longer section waits for something, and leaves the core to others meanwhile.
	private static final long IDLE = Duration.ofMillis(1).toNanos();

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
		if (held.isShared()) {
			read(held, now);
			return;
		}
		enter(held);
		pass(now);
		leave();
	}

	private void read(Held held, long now) {
		long seen = this.memory.counter();
		long token = held.fencingToken();
		if (token != 0 && !this.memory.isNext(token)) {
			this.tokenBreaches++;
		}
		pass(now);
		if (this.memory.counter() != seen) {
			this.count++;
		}
	}

	private void pass(long since) {
		for (long left = this.nanos; left > 0; left = this.nanos - (System.nanoTime() - since)) {
			if (this.nanos >= IDLE) {
				LockSupport.parkNanos(left);
			}
			else {
				Thread.onSpinWait();
			}
		}
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
