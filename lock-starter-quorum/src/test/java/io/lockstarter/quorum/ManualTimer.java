// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes when the test says so. Tasks run on the thread of the test.
 */
final class ManualTimer extends ForwardingPlatform implements Timer {

	private final List<Task> tasks = new ArrayList<>();

	// thrown in place of scheduling a task
	@Nullable Error refusal;

	// how many more tasks may be scheduled until there is no thread
	int allowed = Integer.MAX_VALUE;

	private long now = Duration.ofDays(1).toNanos();

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public Timer timer(String thread) {
		return this;
	}

	@Override
	public Runnable repeat(Runnable task, long pause) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Runnable schedule(Runnable task, long delayNanos) {
		Error error = this.refusal;
		if (error != null) {
			throw error;
		}
		if (--this.allowed < 0) {
			throw new InternalError("no thread");
		}
		Task scheduled = new Task(task, this.now + delayNanos);
		this.tasks.add(scheduled);
		return () -> this.tasks.remove(scheduled);
	}

	void pass(Duration time) {
		long end = this.now + time.toNanos();
		while (true) {
			Task next = this.tasks.stream()
				.filter((task) -> task.at <= end)
				.min(Comparator.comparingLong(Task::at))
				.orElse(null);
			if (next == null) {
				break;
			}
			this.tasks.remove(next);
			this.now = Math.max(this.now, next.at);
			next.task.run();
		}
		this.now = end;
	}

	int pending() {
		return this.tasks.size();
	}

	private record Task(Runnable task, long at) {

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

}
