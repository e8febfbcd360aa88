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
package io.lockstarter.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Something that happens at an instant of the world, after all that was planned before
 * for the same instant.
 */
final class Event implements Comparable<Event> {

	final long time;

	final long sequence;

	final String what;

	final @Nullable Jvm owner;

	final Runnable action;

	boolean cancelled;

	Event(long time, long sequence, String what, @Nullable Jvm owner, Runnable action) {
		this.time = time;
		this.sequence = sequence;
		this.what = what;
		this.owner = owner;
		this.action = action;
	}

	void cancel() {
		this.cancelled = true;
	}

	@Override
	public int compareTo(Event other) {
		int byTime = Long.compare(this.time, other.time);
		return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
	}

	@Override
	public String toString() {
		return this.what + ((this.owner != null) ? " of " + this.owner : "") + " at " + World.time(this.time);
	}

}
