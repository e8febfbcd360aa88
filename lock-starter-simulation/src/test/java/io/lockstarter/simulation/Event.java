// SPDX-License-Identifier: Apache-2.0
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
