// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;

/**
 * The platform of a simulated process.
 */
public final class JvmPlatform implements Platform {

	private final Jvm jvm;

	private final List<LaneTimer> timers = new ArrayList<>();

	private int clients;

	private int openClients;

	private final LaneTimer log;

	private final LaneTimer others;

	JvmPlatform(Jvm jvm) {
		this.jvm = jvm;
		this.log = lane("log");
		this.others = lane("others");
	}

	/**
	 * Return the process.
	 */
	public Jvm jvm() {
		return this.jvm;
	}

	/**
	 * Return how many clients the application has had before the present one.
	 */
	public int clients() {
		return this.clients;
	}

	void replaceClient() {
		this.clients++;
	}

	/**
	 * Note that a client begins, whose threads run until it ends.
	 */
	public void clientBegins() {
		this.openClients++;
	}

	public void clientEnds() {
		this.openClients--;
	}

	/**
	 * Return how many clients have not ended.
	 */
	int openClients() {
		return this.openClients;
	}

	private LaneTimer lane(String name) {
		LaneTimer lane = new LaneTimer(name);
		this.timers.add(lane);
		return lane;
	}

	/**
	 * Let the threads of a name do nothing for a while.
	 */
	void stall(String name, long duration) {
		for (LaneTimer timer : this.timers) {
			if (timer.name.contains(name)) {
				timer.lane.stall(duration);
			}
		}
	}

	@Override
	public long nanoTime() {
		return this.jvm.nanoTime();
	}

	@Override
	public Instant now() {
		return Instant.EPOCH.plusNanos(this.jvm.world().now());
	}

	@Override
	public RandomGenerator random() {
		return this.jvm.numbers();
	}

	@Override
	public RandomGenerator secureRandom() {
		return this.jvm.numbers();
	}

	@Override
	public Timer timer(String thread) {
		return lane(thread);
	}

	@Override
	public Workers workers(String thread, Timer timer) {
		return lane(thread);
	}

	@Override
	public Executor queue(String thread, int capacity) {
		return lane(thread);
	}

	@Override
	public Timer logTimer() {
		return this.log;
	}

	@Override
	public void execute(Runnable task) {
		this.others.execute(task);
	}

	@Override
	public boolean await(CompletableFuture<?> future, long nanos) {
		return future.isDone();
	}

	private static final class Repetition {

		private final Timer timer;

		private final Runnable task;

		private final long pause;

		private Runnable cancellation = () -> {
		};

		Repetition(Timer timer, Runnable task, long pause) {
			this.timer = timer;
			this.task = task;
			this.pause = pause;
		}

		void next() {
			this.cancellation = this.timer.schedule(() -> {
				next();
				this.task.run();
			}, this.pause);
		}

		void end() {
			this.cancellation.run();
		}

	}

	private final class LaneTimer implements Timer, Workers {

		private final String name;

		private final Jvm.Lane lane;

		private boolean ended;

		LaneTimer(String name) {
			this.name = name;
			this.lane = JvmPlatform.this.jvm.lane(name);
		}

		@Override
		public long nanoTime() {
			return JvmPlatform.this.nanoTime();
		}

		@Override
		public Runnable repeat(Runnable task, long pause) {
			Repetition repetition = new Repetition(this, task, pause);
			repetition.next();
			return repetition::end;
		}

		@Override
		public Runnable schedule(Runnable task, long delay) {
			return this.lane.schedule(() -> {
				if (!this.ended) {
					task.run();
				}
			}, delay);
		}

		@Override
		public void execute(Runnable task) {
			this.lane.execute(task);
		}

		@Override
		public void start() {
		}

		@Override
		public void endWhenIdle() {
		}

		@Override
		public void end() {
			this.ended = true;
		}

	}

}
