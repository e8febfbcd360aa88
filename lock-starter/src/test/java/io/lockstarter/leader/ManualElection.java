// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;

/**
 * An election whose callbacks and pauses are up to the test, and what its listener was
 * told.
 */
public final class ManualElection implements LeadershipListener {

	private final List<String> events = new ArrayList<>();

	private final ManualTimer timer = new ManualTimer();

	private final LeaderElection election;

	public ManualElection(LockRegistry registry, String role, LockOptions options) {
		this.election = new LeaderElection(() -> registry, role, options, this.timer, Platform.system());
		this.election.addListener(this);
	}

	public LeaderElection election() {
		return this.election;
	}

	public List<String> events() {
		return this.events;
	}

	/**
	 * Let callbacks wait until the test runs them.
	 */
	public void holdCallbacks() {
		this.timer.slow = true;
	}

	public void runCallbacks() {
		this.timer.runSoon();
	}

	public int pauses() {
		return this.timer.pauses.size();
	}

	/**
	 * Let the pause before the next attempt pass.
	 */
	public void passPause() {
		this.timer.now += LeaderElection.PAUSE.toNanos();
		this.timer.pauses.remove().run();
	}

	/**
	 * Let the time pass up to the next look that comes in any case.
	 */
	public void passLook() {
		this.timer.now += LeaderElection.LOOK.toNanos();
		List.copyOf(this.timer.repeated).forEach(Runnable::run);
	}

	/**
	 * Return whether there is a thread that is kept.
	 */
	public boolean hasThread() {
		return this.timer.started;
	}

	/**
	 * Be called before each use of the timer.
	 */
	public void beforeUse(Runnable action) {
		this.timer.beforeUse = action;
	}

	@Override
	public void onGranted(String role, LeaseInfo lease) {
		this.events.add("granted " + role + " " + lease.fencingToken());
	}

	@Override
	public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
		this.events.add("revoked " + role + " " + lease.fencingToken() + " " + cause);
	}

	private static final class ManualTimer implements Timer {

		private final Queue<Runnable> soon = new ArrayDeque<>();

		private final Queue<Runnable> pauses = new ArrayDeque<>();

		private final List<Runnable> repeated = new ArrayList<>();

		private Runnable beforeUse = () -> {
		};

		private boolean slow;

		private boolean started;

		private long now = Duration.ofDays(1).toNanos();

		private void runSoon() {
			for (Runnable next = this.soon.poll(); next != null; next = this.soon.poll()) {
				next.run();
			}
		}

		@Override
		public long nanoTime() {
			return this.now;
		}

		@Override
		public Runnable schedule(Runnable task, long delay) {
			this.beforeUse.run();
			Queue<Runnable> queue = (delay > 0) ? this.pauses : this.soon;
			queue.add(task);
			if (!this.slow) {
				runSoon();
			}
			return () -> queue.remove(task);
		}

		@Override
		public Runnable repeat(Runnable task, long pause) {
			this.beforeUse.run();
			this.repeated.add(task);
			return () -> this.repeated.remove(task);
		}

		@Override
		public void start() {
			this.beforeUse.run();
			this.started = true;
		}

		@Override
		public void endWhenIdle() {
			this.started = false;
		}

	}

}
