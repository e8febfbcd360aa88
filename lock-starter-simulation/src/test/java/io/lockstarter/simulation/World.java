// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * One thread, one clock, one seed: whatever happens is an event, and two worlds of a seed
 * are the same. Each part draws from a stream of its own, so that a change in one does
 * not shift the others.
 */
public final class World {

	static final long MICRO = 1_000;

	static final long MILLI = 1_000_000;

	static final long SECOND = 1_000_000_000;

	private static final long GOLDEN = 0x9E3779B97F4A7C15L;

	private final PriorityQueue<Event> events = new PriorityQueue<>(256);

	private final long seed;

	private final @Nullable List<String> trace;

	private long now;

	private long sequence;

	private long steps;

	private long digest;

	World(long seed, boolean tracing) {
		this.seed = seed;
		this.digest = mix(seed);
		this.trace = tracing ? new ArrayList<>() : null;
	}

	public long now() {
		return this.now;
	}

	long steps() {
		return this.steps;
	}

	/**
	 * Return a number that two runs have in common only if the same happened in both.
	 */
	long digest() {
		return this.digest;
	}

	/**
	 * Return the random numbers of a part of the world.
	 */
	SplittableRandom stream(long part, long number) {
		return new SplittableRandom(mix(mix(this.seed + GOLDEN * part) + number));
	}

	Event at(long time, String what, @Nullable Jvm owner, Runnable action) {
		Event event = new Event(Math.max(time, this.now), this.sequence++, what, owner, action);
		this.events.add(event);
		return event;
	}

	Event after(long delay, String what, Runnable action) {
		return at(this.now + Math.max(0, delay), what, null, action);
	}

	/**
	 * Let the next event happen.
	 * @return whether there was one
	 */
	boolean step() {
		Event event = this.events.poll();
		while (event != null && event.cancelled) {
			event = this.events.poll();
		}
		if (event == null) {
			return false;
		}
		this.now = event.time;
		this.steps++;
		note(event.time);
		note(event.what.hashCode());
		event.action.run();
		return true;
	}

	/**
	 * Return when the next event happens; {@link Long#MAX_VALUE} if there is none.
	 */
	long next() {
		Event event = this.events.peek();
		while (event != null && event.cancelled) {
			this.events.poll();
			event = this.events.peek();
		}
		return (event != null) ? event.time : Long.MAX_VALUE;
	}

	/**
	 * Let time pass without an event.
	 */
	void passTo(long time) {
		this.now = Math.max(this.now, Math.min(time, next()));
	}

	List<Event> pending() {
		return this.events.stream().filter((event) -> !event.cancelled).sorted(Comparator.naturalOrder()).toList();
	}

	void note(long value) {
		this.digest = mix(this.digest ^ value);
	}

	boolean isTracing() {
		return this.trace != null;
	}

	/**
	 * Write a line. What it takes to make it is paid only if {@link #isTracing()} was
	 * asked before.
	 */
	void trace(String line) {
		if (this.trace != null) {
			this.trace.add(time(this.now) + " " + line);
		}
	}

	List<String> traced() {
		return (this.trace != null) ? this.trace : List.of();
	}

	static String time(long nanos) {
		return "%4d.%06d".formatted(nanos / SECOND, nanos % SECOND / MICRO);
	}

	private static long mix(long value) {
		long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
		mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
		return mixed ^ (mixed >>> 31);
	}

}
