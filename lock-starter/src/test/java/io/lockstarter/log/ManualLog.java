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
package io.lockstarter.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.lockstarter.platform.Timer;

/**
 * The lines of a {@link LimitedLog}, whose time passes when a test says so.
 */
public final class ManualLog implements Timer {

	private final List<String> lines = new ArrayList<>();

	private final List<Task> tasks = new ArrayList<>();

	private long now;

	public LimitedLog log(String summary) {
		return new LimitedLog((line, cause) -> this.lines.add((cause != null) ? line + " " + cause : (String) line),
				summary, this);
	}

	@Override
	public long nanoTime() {
		return this.now;
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
