// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.lockstarter.platform.Timer;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a {@link LimitedLog}, whose time passes when a test says so.
 */
public final class ManualLog implements Timer {

	private final List<String> lines = new ArrayList<>();

	private final List<Task> tasks = new ArrayList<>();

	private long now;

	public LimitedLog log(String summary) {
		return new LimitedLog(LogFactory.getLog(ManualLog.class), LimitedLog.Level.INFO, summary, this) {
			@Override
			void print(String line, @Nullable Throwable cause) {
				ManualLog.this.lines.add((cause != null) ? line + " " + cause : line);
			}
		};
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public Runnable repeat(Runnable task, long pause) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Runnable schedule(Runnable action, long delay) {
		Task task = new Task(action, this.now + delay);
		this.tasks.add(task);
		return () -> this.tasks.remove(task);
	}

	public Function<String, LimitedLog> logs() {
		return this::log;
	}

	public List<String> lines() {
		return this.lines;
	}

	public void tick(Duration duration) {
		this.now += duration.toNanos();
		List<Task> due = this.tasks.stream().filter((task) -> task.due <= this.now).toList();
		this.tasks.removeAll(due);
		due.forEach((task) -> task.action.run());
	}

	private record Task(Runnable action, long due) {

	}

}
