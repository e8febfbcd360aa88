// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * A process: a clock that goes at a rate of its own, and threads that do one thing after
 * the other. While it is paused everything waits, also what comes from the network. After
 * a crash nothing of it happens any more.
 */
public final class Jvm implements Clock {

	private final World world;

	private final String name;

	private final SplittableRandom random;

	private final SplittableRandom numbers;

	private final List<Runnable> backlog = new ArrayList<>();

	private final Set<Task> timers = new LinkedHashSet<>();

	private double rate;

	private long origin;

	private long localOrigin;

	private long pausedUntil;

	private long runsSince;

	private boolean alive = true;

	Jvm(World world, String name, long number, double rate, long offset) {
		this.world = world;
		this.name = name;
		this.random = world.stream(1, number);
		this.numbers = world.stream(2, number);
		this.rate = rate;
		this.origin = world.now();
		this.localOrigin = offset;
		this.runsSince = world.now();
	}

	World world() {
		return this.world;
	}

	/**
	 * Return the random numbers that the product draws.
	 */
	public SplittableRandom numbers() {
		return this.numbers;
	}

	boolean isAlive() {
		return this.alive;
	}

	@Override
	public long nanoTime() {
		return this.localOrigin + (long) ((this.world.now() - this.origin) * this.rate);
	}

	@Override
	public long worldTime(long instant) {
		return this.origin + (long) ((instant - this.localOrigin) / this.rate);
	}

	@Override
	public long runsSince() {
		return (this.pausedUntil > this.world.now()) ? Long.MAX_VALUE : this.runsSince;
	}

	void rate(double changed) {
		this.localOrigin = nanoTime();
		this.origin = this.world.now();
		this.rate = changed;
		for (Task task : List.copyOf(this.timers)) {
			task.lane.wake(task);
		}
	}

	/**
	 * Return when a task is due by the clock of its process; {@link Long#MAX_VALUE} if it
	 * is none that will be done.
	 */
	static long due(@Nullable Runnable task) {
		return (task instanceof Task due && !due.takenBack) ? due.due : Long.MAX_VALUE;
	}

	/**
	 * Make a thread.
	 */
	public Lane lane(String what) {
		return new Lane(what);
	}

	/**
	 * Do something that comes from outside, when this runs.
	 */
	void arrive(Runnable action) {
		if (!this.alive) {
			return;
		}
		if (this.pausedUntil > this.world.now()) {
			this.backlog.add(action);
		}
		else {
			action.run();
		}
	}

	void pause(long duration) {
		long until = this.world.now() + duration;
		if (!this.alive || until <= this.pausedUntil) {
			return;
		}
		this.pausedUntil = until;
		this.world.at(until, "resume", this, this::resume);
	}

	private void resume() {
		if (this.alive && this.pausedUntil <= this.world.now()) {
			this.runsSince = this.world.now();
			if (this.world.isTracing()) {
				this.world.trace(this + " goes on");
			}
			List<Runnable> late = List.copyOf(this.backlog);
			this.backlog.clear();
			late.forEach((action) -> this.world.at(this.world.now(), "late", this, () -> arrive(action)));
		}
	}

	void crash() {
		this.alive = false;
		this.backlog.clear();
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * A thread: what it is to do is done in the order in which it is due, and may be
	 * late.
	 */
	public final class Lane {

		private final String what;

		private final List<Task> waiting = new ArrayList<>();

		private long stalledUntil;

		Lane(String what) {
			this.what = what;
		}

		/**
		 * Run a task once.
		 * @return takes it back
		 */
		public Runnable schedule(Runnable task, long delay) {
			Task due = new Task(this, task, nanoTime() + Math.max(0, delay));
			wake(due);
			return due;
		}

		private void wake(Task due) {
			World world = Jvm.this.world;
			Event before = due.event;
			if (before != null) {
				before.cancel();
			}
			Jvm.this.timers.add(due);
			long delay = due.due - nanoTime();
			long wait = (delay > 0) ? (long) Math.ceil(delay / Jvm.this.rate) : 0;
			due.event = world.at(world.now() + wait, this.what, Jvm.this, () -> {
				Jvm.this.timers.remove(due);
				arrive(() -> run(due));
			});
		}

		/**
		 * Run a task soon.
		 */
		public void execute(Runnable task) {
			var unused = schedule(task, 0);
		}

		/**
		 * Let this thread do nothing for a while.
		 */
		void stall(long duration) {
			long until = Jvm.this.world.now() + duration;
			if (until > this.stalledUntil) {
				this.stalledUntil = until;
				Jvm.this.world.at(until, "stalled", Jvm.this, () -> arrive(this::catchUp));
			}
		}

		private void run(Task task) {
			if (this.stalledUntil > Jvm.this.world.now()) {
				this.waiting.add(task);
				return;
			}
			if (Jvm.this.random.nextInt(32) == 0) {
				this.waiting.add(task);
				stall(Jvm.this.random.nextLong(50 * World.MICRO, 2 * World.MILLI));
				return;
			}
			task.perform();
		}

		private void catchUp() {
			if (this.stalledUntil <= Jvm.this.world.now()) {
				List<Task> late = List.copyOf(this.waiting);
				this.waiting.clear();
				for (Task task : late) {
					if (Jvm.this.alive) {
						task.perform();
					}
				}
			}
		}

	}

	/**
	 * Something to do, which can be taken back.
	 */
	private final class Task implements Runnable {

		private final Lane lane;

		private final Runnable task;

		private final long due;

		private boolean takenBack;

		private @Nullable Event event;

		Task(Lane lane, Runnable task, long due) {
			this.lane = lane;
			this.task = task;
			this.due = due;
		}

		void perform() {
			if (!this.takenBack) {
				this.takenBack = true;
				this.task.run();
			}
		}

		@Override
		public void run() {
			this.takenBack = true;
			Jvm.this.timers.remove(this);
			if (this.event != null) {
				this.event.cancel();
			}
		}

	}

}
